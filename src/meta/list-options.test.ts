import { describe, expect, test } from 'vitest'
import { readListOptions } from './list-options.ts'
import { parseQuery } from './query.ts'

const read = (query: string) => readListOptions(parseQuery(query))
const MATCH = 'resourceVersionMatch: '

describe('list options', () => {
  test('defaults without parameters', () => {
    expect(read('')).toMatchObject({
      watch: false,
      allowWatchBookmarks: false,
      resourceVersion: '',
      resourceVersionMatch: '',
      limit: 0,
      continue: '',
    })
    expect(read('')).not.toHaveProperty('sendInitialEvents')
    expect(read('')).not.toHaveProperty('timeoutSeconds')
  })

  test('the first value of a repeated parameter is used', () => {
    expect(read('?limit=1&limit=x&timeoutSeconds=-3&continue=c&resourceVersion=5')).toMatchObject({
      limit: 1,
      timeoutSeconds: -3,
      continue: 'c',
      resourceVersion: '5',
    })
  })

  test('labelSelector and fieldSelector', () => {
    const options = read('labelSelector=a%3Db&fieldSelector=metadata.name%3Dx')
    expect(options.labelSelector.matches({ a: 'b' })).toBe(true)
    expect(options.fieldSelector.terms).toEqual([{ field: 'metadata.name', operator: '=', value: 'x' }])
  })

  test.each([
    ['limit=abc', 'strconv.ParseInt: parsing "abc": invalid syntax'],
    ['limit=', 'strconv.ParseInt: parsing "": invalid syntax'],
    ['limit=99999999999999999999', 'strconv.ParseInt: parsing "99999999999999999999": value out of range'],
    ['limit=y&timeoutSeconds=x', 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['limit=y&labelSelector=%3D', 'strconv.ParseInt: parsing "y": invalid syntax'],
    ['fieldSelector=a&labelSelector=!', "unable to parse requirement: found '', expected: identifier"],
    ['fieldSelector=a', "invalid selector: 'a'; can't understand 'a'"],
  ])('400 BadRequest: %s', (query, message) => {
    expect(() => read(query)).toThrow(expect.objectContaining({ code: 400, reason: 'BadRequest', message }))
  })

  const UNLESS = `${MATCH}Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided`
  const CONTINUE = `${MATCH}Forbidden: resourceVersionMatch is forbidden when continue is provided`
  const BOGUS = `${MATCH}Unsupported value: "Bogus": supported values: "Exact", "NotOlderThan", ""`

  test.each([
    ['resourceVersionMatch=Exact', UNLESS],
    ['resourceVersionMatch=Bogus', `[${UNLESS}, ${BOGUS}]`],
    ['resourceVersionMatch=Bogus&resourceVersion=1', BOGUS],
    [
      'resourceVersionMatch=Exact&resourceVersion=0',
      `${MATCH}Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"`,
    ],
    ['resourceVersionMatch=Exact&continue=x', `[${UNLESS}, ${CONTINUE}]`],
    ['sendInitialEvents=', 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list'],
  ])('422 Invalid list options: %s', (query, text) => {
    const message = `ListOptions.meta.k8s.io "" is invalid: ${text}`
    expect(() => read(query)).toThrow(expect.objectContaining({ code: 422, reason: 'Invalid', message }))
  })
})

describe('watch options', () => {
  test.each([
    ['watch=1', true],
    ['watch=', true],
    ['watch=f', true],
    ['watch=0', false],
    ['watch=FALSE', false],
  ])('watch parameter: %s', (query, watch) => {
    expect(read(query).watch).toBe(watch)
  })

  test('a watch from resourceVersion 0 sends initial events', () => {
    expect(read('watch=1&resourceVersion=0')).toMatchObject({ sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' })
    expect(read('watch=1&resourceVersion=7')).not.toHaveProperty('sendInitialEvents')
    expect(read('watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan')).toMatchObject({ sendInitialEvents: false })
  })

  const REQUIRES = `${MATCH}Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`
  const EXACT = `${MATCH}Unsupported value: "Exact": supported values: "NotOlderThan"`
  const UNLESS = `${MATCH}Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`

  test.each([
    ['sendInitialEvents=true', REQUIRES],
    ['sendInitialEvents=true&resourceVersionMatch=Exact', `[${REQUIRES}, ${EXACT}]`],
    ['resourceVersionMatch=Exact&resourceVersion=0', `[${UNLESS}, ${EXACT}]`],
    [
      'sendInitialEvents=1&resourceVersionMatch=NotOlderThan&continue=c',
      `${MATCH}Forbidden: resourceVersionMatch is forbidden when continue is provided`,
    ],
  ])('422 Invalid watch options: %s', (query, text) => {
    expect(() => read(`watch=1&${query}`)).toThrow(
      expect.objectContaining({ code: 422, message: `ListOptions.meta.k8s.io "" is invalid: ${text}` }),
    )
  })
})

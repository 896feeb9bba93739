import { describe, expect, test } from 'vitest'
import {
  fieldManagerOf,
  readCreateOptions,
  readDeleteOptions,
  readGetOptions,
  readIncludeObject,
  readPatchOptions,
  readUpdateOptions,
  validateDeleteOptions,
} from './options.ts'

const query = (text: string): URLSearchParams => new URLSearchParams(text)
const unprocessable = (kind: string, text: string): unknown =>
  expect.objectContaining({ code: 422, reason: 'Invalid', message: `${kind}.meta.k8s.io "" is invalid: ${text}` })
const bad = (message: string): unknown => expect.objectContaining({ code: 400, reason: 'BadRequest', message })

describe('options of create, update and patch', () => {
  test('dryRun, fieldManager and fieldValidation', () => {
    expect(readCreateOptions(query(''))).toEqual({ dryRun: [], fieldManager: '', fieldValidation: '' })
    expect(readUpdateOptions(query('dryRun=All&dryRun=All&fieldManager=me&fieldValidation=Strict'))).toEqual({
      dryRun: ['All', 'All'],
      fieldManager: 'me',
      fieldValidation: 'Strict',
    })
    expect(readPatchOptions(query('fieldManager=me&force=0'), 'apply')).toMatchObject({ force: false })
  })

  test.each([
    ['dryRun=All&dryRun=bogus', 'dryRun: Unsupported value: ["All","bogus"]: supported values: "All"'],
    ['dryRun=', 'dryRun: Unsupported value: [""]: supported values: "All"'],
    ['fieldValidation=Bogus', 'fieldValidation: Unsupported value: "Bogus": supported values: "", "Ignore", "Strict", "Warn"'],
    ['fieldManager=bell%07', 'fieldManager: Invalid value: "bell\\a": invalid character U+0007 (at position 4)'],
    [`fieldManager=${'m'.repeat(129)}`, 'fieldManager: Too long: may not be more than 128 bytes'],
  ])('422 Invalid: %s', (text, message) => {
    expect(() => readCreateOptions(query(text))).toThrow(unprocessable('CreateOptions', message))
    expect(() => readUpdateOptions(query(text))).toThrow(unprocessable('UpdateOptions', message))
    expect(() => readPatchOptions(query(text), 'other')).toThrow(unprocessable('PatchOptions', message))
  })

  test('apply requires fieldManager; force is for apply only', () => {
    expect(() => readPatchOptions(query('fieldManager='), 'apply')).toThrow(
      unprocessable('PatchOptions', 'fieldManager: Required value: is required for apply patch'),
    )
    expect(() => readPatchOptions(query('force=false'), 'other')).toThrow(
      unprocessable('PatchOptions', 'force: Forbidden: may not be specified for non-apply patch'),
    )
  })
})

describe('options of delete', () => {
  test('gracePeriodSeconds, orphanDependents and preconditions', () => {
    expect(readDeleteOptions(query(''))).toEqual({ dryRun: [] })
    expect(readDeleteOptions(query('gracePeriodSeconds=-1&orphanDependents=&uid=u&resourceVersion=abc'))).toEqual({
      dryRun: [],
      gracePeriodSeconds: -1,
      orphanDependents: true,
      preconditions: { uid: 'u', resourceVersion: 'abc' },
    })
  })

  const BOTH = 'propagationPolicy: Invalid value: "Bogus": orphanDependents and deletionPropagation cannot be both set'
  const UNSUPPORTED = 'Unsupported value: "Bogus": supported values: "Foreground", "Background", "Orphan", "nil"'
  const DRY_RUN = 'dryRun: Unsupported value: ["x"]: supported values: "All"'

  test('422 for propagationPolicy together with orphanDependents', () => {
    expect(() => readDeleteOptions(query('propagationPolicy=Bogus&orphanDependents=0&dryRun=x'))).toThrow(
      unprocessable('DeleteOptions', `[${BOTH}, propagationPolicy: ${UNSUPPORTED}, ${DRY_RUN}]`),
    )
    expect(() => readDeleteOptions(query('gracePeriodSeconds=x'))).toThrow(bad('strconv.ParseInt: parsing "x": invalid syntax'))
    expect(() => readDeleteOptions(query('propagationPolicy='))).toThrow('Unsupported value: ""')
    expect(() => validateDeleteOptions({ propagationPolicy: 'Orphan' })).not.toThrow()
  })
})

test('export of get, and includeObject of tables', () => {
  expect(readGetOptions(query('export=0&resourceVersion=5'))).toEqual({ resourceVersion: '5' })
  expect(() => readGetOptions(query('export='))).toThrow(
    bad('the export parameter, deprecated since v1.14, is no longer supported'),
  )
  expect(readIncludeObject('None')).toBe('None')
  expect(() => readIncludeObject('x<')).toThrow(
    bad(
      "Unable to convert to Table as requested: includeObject: Invalid value: \"x\\u003c\": must be 'Metadata', 'Object', 'None', or empty",
    ),
  )
})

test('the default field manager is the beginning of the user agent', () => {
  expect(fieldManagerOf('me', 'kubectl/v1')).toBe('me')
  expect(fieldManagerOf('', 'kube\x07ctl/v1 (linux)')).toBe('kubectl')
  expect(fieldManagerOf('', 'é'.repeat(100))).toBe('é'.repeat(64))
  expect(fieldManagerOf('', '')).toBe('')
})

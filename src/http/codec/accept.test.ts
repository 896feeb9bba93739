import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseAccept } from './accept.ts'

const order = (header: string): string[] => parseAccept(header).map(({ type, subtype }) => `${type}/${subtype}`)

describe('parseAccept', () => {
  test.each([
    ['', []],
    [',', []],
    ['json', []],
    ['application/', []],
    ['application/json/x', []],
    ['*', ['*/*']],
    [' application/json , text/html', ['application/json', 'text/html']],
    ['application/json;q=0.5,application/yaml', ['application/yaml', 'application/json']],
    ['application/json;q=abc,application/yaml;q=0.1', ['application/yaml', 'application/json']],
    ['application/json;q=0', ['application/json']],
    ['*/*, application/yaml', ['application/yaml', '*/*']],
    ['*/*;q=1, application/yaml;q=0.1', ['application/yaml', '*/*']],
    ['application/yaml;q=0.1, */*;q=1', ['*/*', 'application/yaml']],
    ['application/*, application/yaml', ['application/yaml', 'application/*']],
    ['*/json, application/json', ['application/json', '*/json']],
  ])('%j', (header, expected) => {
    expect(order(header)).toEqual(expected)
  })

  test('trims spaces of parameters and leaves out parameters without a value or with two equals signs', () => {
    const [clause] = parseAccept('application/json; as = Table ;v=v1;g=;x=1=2;q=0.5')
    expect(Object.fromEntries(clause?.parameters ?? [])).toEqual({ as: 'Table', v: 'v1' })
    expect(clause?.quality).toBe(0.5)
  })

  test('entries without wildcards and of the same quality keep their order', () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,5}$/), { maxLength: 40 })
    fc.assert(
      fc.property(names, (subtypes) => {
        expect(order(subtypes.map((name) => `a/${name}`).join())).toEqual(subtypes.map((name) => `a/${name}`))
      }),
    )
  })

  test('no Accept header makes it throw', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '*', '/', ';', ',', '=', 'q', '0.5', ' ')), (parts) => {
        for (const { type, subtype } of parseAccept(parts.join(''))) expect(`${type}${subtype}`).not.toMatch(/[/,;]/)
      }),
    )
  })
})

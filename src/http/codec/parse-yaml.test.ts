import { describe, expect, test } from 'vitest'
import { readYaml } from './parse-yaml.ts'
import { YamlSyntaxError } from './yaml-reader/source.ts'

describe('readYaml', () => {
  test.each([
    ['a: y', { a: true }],
    ['a: "y"', { a: 'y' }],
    ['a: Off', { a: false }],
    ['a: 0755', { a: 493 }],
    ['a: 1e3', { a: 1000 }],
    ['a: 1:30', { a: '1:30' }],
    ['a: 2001-01-01', { a: '2001-01-01' }],
    ['a: ~', { a: null }],
    ['', null],
  ])('%j is %j', (text, value) => expect(readYaml(text).value).toEqual(value))

  test('what is no YAML is refused', () => {
    expect(() => readYaml('a: b: c')).toThrow(new YamlSyntaxError('yaml: mapping values are not allowed in this context'))
  })

  test('a document that unfolds is bounded', () => {
    const lines = ['a: &a [x,x,x,x,x,x,x,x,x]']
    for (let i = 0; i < 30; i++) {
      const [from, to] = [String.fromCharCode(97 + (i % 26)) + (i > 25 ? i : ''), `n${i}`]
      lines.push(
        `${to}: &${to} [*${i === 0 ? from : `n${i - 1}`},*${i === 0 ? from : `n${i - 1}`},*${i === 0 ? from : `n${i - 1}`},*${i === 0 ? from : `n${i - 1}`}]`,
      )
    }
    expect(() => readYaml(lines.join('\n'))).toThrow(YamlSyntaxError)
  })
})

describe('readYaml', () => {
  test.each([
    ['a: 1\na: 2', { a: 2 }, ['line 2: key "a" already set in map']],
    [
      'b: {a: 1, "a": 2}\nc:\n- a: 1\n  a: 2',
      { b: { a: 2 }, c: [{ a: 2 }] },
      ['line 1: key "a" already set in map', 'line 4: key "a" already set in map'],
    ],
    ['l: &l {x: 1}\nm:\n  <<: *l\n  x: 2', { l: { x: 1 }, m: { x: 2 } }, ['line 4: key "x" already set in map']],
    ['a: {a: 1}\nb: {a: 1}', { a: { a: 1 }, b: { a: 1 } }, []],
    ['a: a\nb: b', { a: 'a', b: 'b' }, []],
  ])('%j', (text, value, duplicates) => {
    expect(readYaml(text)).toMatchObject({ value, duplicates })
  })

  test('the first document counts', () => {
    expect(readYaml('a: 1\n---\nb: 2\n').value).toEqual({ a: 1 })
    expect(readYaml('---\n---\nb: 2\n').value).toBeNull()
  })

  test.each([
    ['a: 1\nb: c: d', 'yaml: line 2: mapping values are not allowed in this context'],
    ['a: *b', "yaml: unknown anchor 'b' referenced"],
  ])('%j is refused', (text, message) => expect(() => readYaml(text)).toThrow(new YamlSyntaxError(message)))
})

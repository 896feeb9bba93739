import { describe, expect, test } from 'vitest'
import { parseYaml, YamlSyntaxError } from './parse-yaml.ts'

describe('parseYaml', () => {
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
  ])('%j is %j', (text, value) => expect(parseYaml(text).value).toEqual(value))

  test('what is no YAML is refused', () => {
    expect(() => parseYaml('a: b: c')).toThrow(new YamlSyntaxError('yaml: mapping values are not allowed in this context'))
  })

  test('a document that unfolds is bounded', () => {
    const lines = ['a: &a [x,x,x,x,x,x,x,x,x]']
    for (let i = 0; i < 30; i++) {
      const [from, to] = [String.fromCharCode(97 + (i % 26)) + (i > 25 ? i : ''), `n${i}`]
      lines.push(
        `${to}: &${to} [*${i === 0 ? from : `n${i - 1}`},*${i === 0 ? from : `n${i - 1}`},*${i === 0 ? from : `n${i - 1}`},*${i === 0 ? from : `n${i - 1}`}]`,
      )
    }
    expect(() => parseYaml(lines.join('\n'))).toThrow(YamlSyntaxError)
  })
})

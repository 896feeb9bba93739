import { expect, test } from 'vitest'
import { readYaml } from '../parse.ts'

const levels = (depth: number, aliases: number): string =>
  Array.from({ length: depth }, (_none, i) => `a${i}: &a${i} [${`*a${i - 1},`.repeat(i === 0 ? 0 : aliases)}x]`).join('\n')

test('a small document whose aliases expand to an enormous one is rejected at once', () => {
  expect(() => readYaml(levels(12, 9))).toThrow('yaml: document contains excessive aliasing')
  expect(() => readYaml(levels(40, 2))).toThrow('yaml: document contains excessive aliasing')
  const long = `a: &a ${'x'.repeat(100_000)}\nb: [${'*a,'.repeat(300)}*a]`
  expect(() => readYaml(long)).toThrow('yaml: document contains excessive aliasing')
})

test('an alias to a collection that contains it is rejected', () => {
  expect(() => readYaml('a: &a [*a]')).toThrow("yaml: anchor 'a' value contains itself")
})

test('many aliases of a small value are allowed', () => {
  const { value } = readYaml(`a: &a {b: c}\nd: [${Array.from({ length: 300 }, () => '*a').join(',')}]`)
  expect((value as { d: unknown[] }).d).toHaveLength(300)
  expect(readYaml(levels(3, 2)).value).toEqual({
    a0: ['x'],
    a1: [['x'], ['x'], 'x'],
    a2: [[['x'], ['x'], 'x'], [['x'], ['x'], 'x'], 'x'],
  })
})

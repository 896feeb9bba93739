import { expect, test } from 'vitest'
import { ReplayableNameGenerator } from './name-generator.ts'

test('a retried write gets the same uids, generated names and numbers in any order', () => {
  const generator = new ReplayableNameGenerator()
  const [uid, second] = [generator.uid(), generator.uid()]
  const numbers = [generator.number(1e15), generator.number(1e15), generator.number(2)]
  const [name, other] = [generator.name('a-'), generator.name('b-')]
  expect(second).not.toBe(uid)
  expect(name).toMatch(/^a-.{5}$/)
  generator.rewind()
  expect([generator.number(1e15), generator.number(1e15), generator.number(2)]).toEqual(numbers)
  expect([generator.name('b-'), generator.name('a-'), generator.uid(), generator.uid()]).toEqual([other, name, uid, second])
  expect(generator.name('a-')).not.toBe(name)
})

test('a retry in another Durable Object gets the names of earlier attempts', () => {
  const generator = new ReplayableNameGenerator()
  const drawn = [generator.uid(), generator.name('a-'), generator.name('__proto__'), generator.number(1e15)]
  const next = new ReplayableNameGenerator(JSON.parse(JSON.stringify(generator.drawn)))
  expect([next.uid(), next.name('a-'), next.name('__proto__'), next.number(1e15)]).toEqual(drawn)
  expect(next.uid()).not.toBe(drawn[0])
})

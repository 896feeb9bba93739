import { expect, test } from 'vitest'
import { boundWarnings, WarningRecorder } from './warnings.ts'

test('duplicate warnings are dropped, and their order is kept', () => {
  expect(boundWarnings(['b', 'a', '', 'b'])).toEqual(['b', 'a'])
})

test('long warnings are truncated, and no more than 4096 characters are sent', () => {
  const bounded = boundWarnings(Array.from({ length: 100 }, (_none, index) => `${index}`.padEnd(300, 'x')))
  expect(bounded).toHaveLength(16)
  expect(bounded.every((text) => text.length === 256)).toBe(true)
})

test('a single long warning is not truncated', () => {
  expect(boundWarnings(['x'.repeat(4096)])).toEqual(['x'.repeat(4096)])
})

test('the warning that exceeds 4096 characters is sent, as by kube-apiserver, and those after it are not', () => {
  const texts = Array.from({ length: 16 }, (_none, index) => `${index}`.padEnd(256, 'x'))
  expect(boundWarnings([...texts, 'y', 'z'])).toEqual([...texts, 'y'])
})

test('if the warnings are too long together, each is truncated', () => {
  const texts = ['x'.repeat(4000), 'y'.repeat(96), 'z', 'w']
  expect(boundWarnings(texts)).toEqual(['x'.repeat(256), 'y'.repeat(96), 'z', 'w'])
})

test('a million warnings are not kept: the recorder is full when the response is', () => {
  const recorder = new WarningRecorder()
  for (let index = 0; index < 1_000_000; index++) recorder.add(`warning ${index}`)
  expect(recorder.isFull).toBe(true)
  const { texts } = recorder
  expect(texts).toEqual(boundWarnings(texts))
  expect(texts.join('').length).toBeLessThan(4096 + 256)
})

import { describe, expect, test } from 'vitest'
import { imageTag } from './image.ts'

describe('imageTag', () => {
  test.each([
    ['nginx', 'latest'],
    ['nginx:1.2', '1.2'],
    ['registry:5000/nginx', 'latest'],
    ['registry:5000/a/b:v1', 'v1'],
    [`nginx@sha256:${'a'.repeat(64)}`, ''],
    [`nginx:1@sha256:${'a'.repeat(64)}`, '1'],
    ['UPPER', ''],
    ['UPPER/lower', 'latest'],
    ['', ''],
    ['a b', ''],
  ])('%s', (reference, tag) => {
    expect(imageTag(reference)).toBe(tag)
  })

  test('a long hostile image reference is rejected quickly', () => {
    expect(imageTag(`${'a-'.repeat(2000)}!`)).toBe('')
  })
})

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
    [`nginx:1@sha256:${'a'.repeat(63)}`, ''],
    [`nginx:1@sha256:${'A'.repeat(64)}`, ''],
    [`nginx:1@md5:${'a'.repeat(32)}`, ''],
    [`nginx:1@sha512:${'a'.repeat(128)}`, '1'],
    ['a'.repeat(64), ''],
    ['a'.repeat(247), 'latest'],
    ['a'.repeat(248), ''],
    [`docker.io/${'a'.repeat(248)}`, ''],
    [`example.com/${'a'.repeat(255)}`, 'latest'],
    [`example.com/${'a'.repeat(256)}`, ''],
    ['[::1]:5000/nginx', 'latest'],
    ['example..com/nginx', ''],
    ['example.-com/nginx', ''],
    ['ex_ample.com/nginx', 'latest'],
    ['Ex_ample.com/nginx', ''],
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

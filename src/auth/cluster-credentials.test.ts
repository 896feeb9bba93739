import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { ClusterCredentials } from './cluster-credentials.ts'

const blue = { cluster: 'blue', uid: 'u-1' }
const credentials = new ClusterCredentials('secret')
const token = credentials.sign(blue)

test('a token names its cluster', () => {
  expect(credentials.verify(token)).toEqual(blue)
  expect(credentials.sign(blue)).toBe(token)
})

test('the hash of the admin token signs as the token does', () => {
  const hashed = new ClusterCredentials(`sha256:${createHash('sha256').update('secret').digest('hex').toUpperCase()}`)
  expect(hashed.verify(token)).toEqual(blue)
})

test.each([
  ['of another deployment', new ClusterCredentials('other').sign(blue)],
  ['with another cluster', token.replace(/\.[^.]+\./, `.${Buffer.from('["red","u-1"]').toString('base64url')}.`)],
  ['without a signature', token.replace(/[^.]+$/, '')],
  ['with a cut signature', token.slice(0, -4)],
  ['with further parts', `${token}.x`],
  ['that is endless', `edgeplane.${'a'.repeat(10_000)}.a`],
  ['that is something else', 'secret'],
])('a token %s is unknown', (_, other) => {
  expect(credentials.verify(other)).toBeUndefined()
})

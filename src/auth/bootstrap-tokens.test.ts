import { describe, expect, test } from 'vitest'
import { rfc3339Seconds } from '../go/time.ts'
import { bootstrapUser } from './bootstrap-tokens.ts'

const now = 1_800_000_000_000
const id = 'abcdef'
const secret = '0123456789abcdef'

interface Change {
  readonly data?: Readonly<Record<string, string>>
  readonly type?: string
  readonly metadata?: { readonly deletionTimestamp?: string }
}

function stored({ data = {}, type = 'bootstrap.kubernetes.io/token', metadata = {} }: Change) {
  const texts = { 'token-id': id, 'token-secret': secret, 'usage-bootstrap-authentication': 'true', ...data }
  const encoded = Object.entries(texts).map(([key, text]): [string, string] => [key, Buffer.from(text).toString('base64')])
  return { metadata: { name: `bootstrap-token-${id}`, ...metadata }, type, data: Object.fromEntries(encoded) }
}

describe('a bootstrap token', () => {
  test('authenticates system:bootstrap:<id> with its extra groups', () => {
    const groups = 'system:bootstrappers:b,system:bootstrappers:a'
    expect(bootstrapUser(stored({ data: { 'auth-extra-groups': groups } }), id, secret, now)).toEqual({
      name: 'system:bootstrap:abcdef',
      uid: '',
      groups: ['system:bootstrappers', 'system:bootstrappers:a', 'system:bootstrappers:b'],
      extra: {},
    })
    expect(bootstrapUser(stored({ data: { expiration: rfc3339Seconds(now + 1000) } }), id, secret, now)).toBeDefined()
  })

  test.each<[string, Change]>([
    ['with a wrong secret', { data: { 'token-secret': '0123456789abcdee' } }],
    ['with another id than its Secret', { data: { 'token-id': 'fedcba' } }],
    ['without usage-bootstrap-authentication', { data: { 'usage-bootstrap-authentication': 'false' } }],
    ['that has expired', { data: { expiration: rfc3339Seconds(now) } }],
    ['with an unparsable expiration', { data: { expiration: 'tomorrow' } }],
    ['with system:masters in auth-extra-groups', { data: { 'auth-extra-groups': 'system:masters' } }],
    ['in a Secret of another type', { type: 'Opaque' }],
    ['in a Secret with a deletionTimestamp', { metadata: { deletionTimestamp: rfc3339Seconds(now) } }],
  ])('%s is refused', (_what, change) => {
    expect(bootstrapUser(stored(change), id, secret, now)).toBeUndefined()
  })
})

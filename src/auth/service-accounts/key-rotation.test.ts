import { describe, expect, test } from 'vitest'
import { publishedFor, rotation, type TokenKey, withTokenUntil } from './key-rotation.ts'

const day = 24 * 3600 * 1000
const start = 1_800_000_000_000
const key = (keyId: string, madeAt: number, validUntil: TokenKey['validUntil'] = 0): TokenKey => ({
  keyId,
  madeAt,
  validUntil,
  privateKey: { kty: 'EC' },
  publicKey: { kty: 'EC' },
})
const names = (keys: readonly TokenKey[]): string[] => keys.map(({ keyId }) => keyId)

describe('signing keys of ServiceAccount tokens', () => {
  test('are generated if there is no key', () => {
    expect(rotation([], start)).toEqual({ signing: undefined, isDue: true, kept: [] })
  })

  test('sign at once if no other key exists, and are rotated after thirty days', () => {
    const first = key('first', start)
    expect(rotation([first], start)).toMatchObject({ signing: first, isDue: false })
    expect(rotation([first], start + 30 * day - 1).isDue).toBe(false)
    expect(rotation([first], start + 30 * day).isDue).toBe(true)
  })

  test('are published before they sign, for as long as clients may cache the key set', () => {
    const keys = [key('first', start, start + 31 * day), key('second', start + 30 * day)]
    const published = start + 30 * day + publishedFor * 1000
    expect(rotation(keys, published - 1).signing?.keyId).toBe('first')
    expect(rotation(keys, published).signing?.keyId).toBe('second')
  })

  test('are kept until their last token has expired, plus a leeway for clock differences', () => {
    const until = start + 40 * day
    const keys = [key('first', start, until), key('second', start + 30 * day)]
    expect(names(rotation(keys, until + 9 * 60_000).kept)).toEqual(['first', 'second'])
    expect(names(rotation(keys, until + 11 * 60_000).kept)).toEqual(['second'])
  })

  test('are kept for ever if one of their tokens does not expire', () => {
    const keys = [key('first', start, 'never'), key('second', start + 30 * day)]
    expect(names(rotation(keys, start + 4000 * day).kept)).toEqual(['first', 'second'])
  })

  test('record the expiry of their longest token, rounded up to days', () => {
    const first = key('first', start)
    const noted = withTokenUntil(first, start + 1)
    expect(noted.validUntil).toBeGreaterThan(start)
    expect(Number(noted.validUntil) % day).toBe(0)
    expect(withTokenUntil(noted, start)).toBe(noted)
    const forever = withTokenUntil(noted, 'never')
    expect(withTokenUntil(forever, start + 900 * day)).toBe(forever)
  })
})

import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { StaticTokens } from './static-tokens.ts'

const hash = (token: string): string => `sha256:${createHash('sha256').update(token).digest('hex')}`

describe('static tokens', () => {
  test("the administrator's token is configured in plain text or as its SHA-256", () => {
    for (const kept of ['sesame', hash('sesame'), hash('sesame').toUpperCase().replace('SHA256', 'sha256')]) {
      const tokens = new StaticTokens(kept)
      expect(tokens.holderOf('sesame')?.groups).toContain('system:masters')
      for (const other of ['', 'sesam', 'sesame ', 'Sesame', hash('sesame'), 'x'.repeat(1_000_000)]) {
        expect(tokens.holderOf(other)).toBeUndefined()
      }
    }
  })

  test('without a configured token nobody is authenticated', () => {
    const tokens = new StaticTokens('')
    expect(tokens.holderOf('')).toBeUndefined()
    expect(tokens.holderOf('x')).toBeUndefined()
  })

  test('a list gives tokens to other users', () => {
    const list = [
      { token: hash('a'), user: 'alice', uid: '7', groups: ['admins'] },
      { token: 'b', user: 'bob' },
    ]
    const tokens = new StaticTokens('', JSON.stringify(list))
    expect(tokens.holderOf('a')).toEqual({ name: 'alice', uid: '7', groups: ['admins'], extra: {} })
    expect(tokens.holderOf('b')).toEqual({ name: 'bob', uid: '', groups: [], extra: {} })
    expect(tokens.holderOf('c')).toBeUndefined()
  })

  test.each([
    ['{', 'is no JSON'],
    ['{}', 'is no list'],
    ['[7]', 'entry 0 is no object'],
    ['[{"user":"x"}]', 'entry 0 has no token'],
    ['[{"token":"","user":"x"}]', 'entry 0 has no token'],
    ['[{"token":"x"}]', 'entry 0 has no user'],
    ['[{"token":"x","user":"x","groups":"system:masters"}]', 'entry 0 has groups that are no list of texts'],
    ['[{"token":"sha256:12","user":"x"}]', 'no SHA-256'],
  ])('the list %s is refused, and the error does not reveal it', (list, message) => {
    expect(() => new StaticTokens('', list)).toThrow(message)
    expect(() => new StaticTokens('', list)).not.toThrow('sha256:12')
  })
})

import { expect, test } from 'vitest'
import { certificateError } from './pem.ts'

const block = (label: string, content: string): string => `-----BEGIN ${label}-----\n${content}\n-----END ${label}-----\n`
const errorOf = (text: string): string | undefined => certificateError(Buffer.from(text).toString('base64'))
const sequence = Buffer.from([0x30, 0x02, 0x30, 0x00]).toString('base64')

test.each([
  ['', undefined],
  [block('CERTIFICATE', sequence), undefined],
  ['none', 'must contain at least one CERTIFICATE PEM block'],
  [block('FOO', sequence), 'only CERTIFICATE PEM blocks are allowed, found "FOO"'],
  [block('CERTIFICATE', `A: b\n\n${sequence}`), 'no PEM block headers are permitted'],
  [`-----BEGIN FOO-----\n${block('CERTIFICATE', sequence)}`, undefined],
  [block('CERTIFICATE', 'AAAA'), 'x509: malformed certificate'],
  [block('CERTIFICATE', Buffer.from([0x30, 0x7f]).toString('base64')), 'x509: malformed certificate'],
])('%j', (text, wrong) => {
  expect(errorOf(text)).toBe(wrong)
})

/** An implementation that searches the rest of the text for each BEGIN line takes minutes. */
test('parsing PEM with many BEGIN lines and no END line takes linear time', { timeout: 30_000 }, () => {
  const beginnings = '-----BEGIN CERTIFICATE-----\n'.repeat(80_000)
  expect(errorOf(beginnings)).toBe('must contain at least one CERTIFICATE PEM block')
  expect(errorOf(`${beginnings}-----END FOO-----\n`)).toBe('must contain at least one CERTIFICATE PEM block')
})

import { expect, test } from 'vitest'
import { issueAuthority } from '../launcher/issue-certificates.ts'
import { caBundleError } from './ca-bundle.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const block = (type: string): string => `-----BEGIN ${type}-----\nAAAA\n-----END ${type}-----\n`
const loadError = (why: string): string => `unable to load root certificates: ${why}`

test('a caBundle with a certificate is valid, even with other text and blocks in it', async () => {
  const { certificate, key } = await issueAuthority()
  expect(caBundleError(base64(certificate))).toBeUndefined()
  expect(caBundleError(base64(`text before\n${key}\n${certificate}`))).toBeUndefined()
  expect(caBundleError(base64(block('CERTIFICATE') + certificate))).toBeUndefined()
})

test.each([
  ['junk', 'unable to parse bytes as PEM block'],
  [' \n', 'unable to parse bytes as PEM block'],
  [block('CERTIFICATE'), 'failed to parse certificate: x509: malformed certificate'],
  [block('PRIVATE KEY'), 'no valid certificate authority data seen'],
])('caBundle %j is refused with the message of kube-apiserver', (text, why) => {
  expect(caBundleError(base64(text))).toBe(loadError(why))
})

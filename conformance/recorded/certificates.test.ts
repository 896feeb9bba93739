import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifyCertificates } from '../../src/net/tls/verify-certificate.ts'
import { readLines } from '../lines.ts'

/** Certificates in PEM, and the error of crypto/x509; an empty one if the server is trusted. */
interface Recorded {
  readonly title: string
  readonly roots: readonly string[]
  readonly chain: readonly string[]
  readonly error: string
}

/** The time of the recording. */
const now = Date.parse('2026-06-01T00:00:00Z')

const recorded = readLines<Recorded>(join(import.meta.dirname, 'certificates.jsonl'))

function errorOf({ chain, roots }: Recorded): string {
  try {
    verifyCertificates(
      chain.map((pem) => new X509Certificate(pem).raw),
      'hook.default.svc',
      roots,
      now,
    )
    return ''
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^tls: failed to verify certificate: /, '') : ''
  }
}

describe('The certificate of a webhook is verified as crypto/x509 does', () => {
  test.each(recorded)('$title', (record) => {
    expect(errorOf(record)).toBe(record.error)
  })
})

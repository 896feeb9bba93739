import { describe, expect, test } from 'vitest'
import { certificateUser } from './client-certificates.ts'

const verified = { certPresented: '1', certVerified: 'SUCCESS', certRevoked: '0' }
const userOf = (subject: string) => certificateUser({ ...verified, certSubjectDNRFC2253: subject })

describe('a client certificate', () => {
  test('names a user and groups', () => {
    const user = certificateUser({ ...verified, certSubjectDNRFC2253: 'CN=alice,O=admins,O=dev', certFingerprintSHA256: 'AB01' })
    expect(user).toEqual({
      name: 'alice',
      uid: '',
      groups: ['admins', 'dev'],
      extra: { 'authentication.kubernetes.io/credential-id': ['X509SHA256=ab01'] },
    })
  })

  test.each([
    ['CN=alice+O=admins', 'alice', ['admins']],
    ['O=system:masters\\,CN=root,CN=alice', 'alice', ['system:masters,CN=root']],
    ['CN=al\\2cice', 'al,ice', []],
    ['CN=\\C3\\A4', 'ä', []],
    ['cn=alice,o=dev', 'alice', ['dev']],
    ['CN=a b', 'a b', []],
  ])('%s is read as RFC 2253 has it', (subject, name, groups) => {
    expect(userOf(subject)).toMatchObject({ name, groups })
  })

  test.each([
    ['', 'no subject'],
    ['O=admins', 'no common name'],
    ['CN=', 'an empty one'],
    ['CN=alice,CN=root', 'two'],
    ['CN="alice,O=system:masters"', 'quotes'],
    ['CN=#0403616263', 'encoded bytes'],
    ['CN=alice\\', 'an open escape'],
    ['CN=\\ff', 'no UTF-8'],
    ['alice', 'no type'],
  ])('%j names nobody: %s', (subject) => expect(userOf(subject)).toBeUndefined())

  test.each([
    undefined,
    {},
    { ...verified, certPresented: '0', certSubjectDNRFC2253: 'CN=alice' },
    { ...verified, certVerified: 'FAILED:self signed certificate', certSubjectDNRFC2253: 'CN=alice' },
    { ...verified, certVerified: 'NONE', certSubjectDNRFC2253: 'CN=alice' },
    { ...verified, certRevoked: '1', certSubjectDNRFC2253: 'CN=alice' },
  ])('that is not verified names nobody: %j', (auth) => expect(certificateUser(auth)).toBeUndefined())
})

import { describe, expect, test } from 'vitest'
import { certificateUser } from './client-certificates.ts'

const verified = { certPresented: '1', certVerified: 'SUCCESS', certRevoked: '0' }
const userOf = (subject: string) => certificateUser({ ...verified, certSubjectDNRFC2253: subject })

describe('a client certificate', () => {
  test('gives the user its name from CN and its groups from O', () => {
    const user = certificateUser({ ...verified, certSubjectDNRFC2253: 'CN=alice,O=admins,O=dev', certFingerprintSHA256: 'AB01' })
    expect(user).toEqual({
      name: 'alice',
      uid: '',
      groups: ['dev', 'admins'],
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
  ])('subject %s is parsed by RFC 2253', (subject, name, groups) => {
    expect(userOf(subject)).toMatchObject({ name, groups })
  })

  test.each([
    ['CN=alice,1.3.6.1.4.1.57683.2=uid-7', 'uid-7'],
    ['1.3.6.1.4.1.57683.2=#0C057569642D37,CN=alice', 'uid-7'],
    ['1.3.6.1.4.1.57683.2=#1305613d622c63+CN=alice', 'a=b,c'],
  ])('subject %s has a UID', (subject, uid) => expect(userOf(subject)).toMatchObject({ name: 'alice', uid }))

  test("has its groups in the certificate's order, and its last CN is the user name", () => {
    expect(userOf('CN=two,CN=one,O=ops,O=devs')).toMatchObject({ name: 'two', groups: ['devs', 'ops'] })
  })

  test.each([
    ['', 'no subject'],
    ['O=admins', 'no common name'],
    ['CN=', 'an empty one'],
  ])('subject %j authenticates nobody: %s', (subject) => expect(userOf(subject)).toBeUndefined())

  test.each([
    ['CN="alice,O=system:masters"', 'quotes'],
    ['CN=#0403616263', 'encoded bytes'],
    ['CN=#0c04616263', 'a wrong length'],
    ['CN=#0c02c328', 'bytes that are no text'],
    ['CN=#0c0x', 'no bytes'],
    ['CN=alice\\', 'an open escape'],
    ['CN=\\ff', 'no UTF-8'],
    ['alice', 'no type'],
    ['CN=alice,1.3.6.1.4.1.57683.2=a,1.3.6.1.4.1.57683.2=b', 'two UIDs'],
    ['CN=alice,1.3.6.1.4.1.57683.2=', 'an empty UID'],
  ])('subject %j is refused: %s', (subject) => expect(userOf(subject)).toBe('invalid'))

  test.each([undefined, {}, { ...verified, certPresented: '0', certSubjectDNRFC2253: 'CN=alice' }])(
    'that was not presented authenticates nobody: %j',
    (auth) => expect(certificateUser(auth)).toBeUndefined(),
  )

  test.each([
    { ...verified, certVerified: 'FAILED:self signed certificate', certSubjectDNRFC2253: 'CN=alice' },
    { ...verified, certVerified: 'NONE', certSubjectDNRFC2253: 'CN=alice' },
    { ...verified, certRevoked: '1', certSubjectDNRFC2253: 'CN=alice' },
  ])('that is not verified is refused: %j', (auth) => expect(certificateUser(auth)).toBe('invalid'))
})

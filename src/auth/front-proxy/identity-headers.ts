/** The headers in which a front proxy names the user of a request. Follows SetAuthProxyHeaders of k8s.io/client-go/transport. */
import type { User } from '../../meta/user.ts'

/** The headers of a front proxy, as the ConfigMap extension-apiserver-authentication names them. */
export const frontProxyHeaders = {
  username: 'X-Remote-User',
  uid: 'X-Remote-Uid',
  group: 'X-Remote-Group',
  extraPrefix: 'X-Remote-Extra-',
} as const

const names = [frontProxyHeaders.username, frontProxyHeaders.uid, frontProxyHeaders.group].map((name) => name.toLowerCase())
const extraPrefix = frontProxyHeaders.extraPrefix.toLowerCase()

/** Whether only a front proxy may set a header. @param name in lower case */
export const isFrontProxyHeader = (name: string): boolean => names.includes(name) || name.startsWith(extraPrefix)

/** Returns the bytes of a text in UTF-8, each as a character: the values of HTTP headers are bytes. */
const byteText = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** Encodes all bytes of a key that a header's name cannot have. */
const escapedKey = (key: string): string =>
  [...Buffer.from(key, 'utf8')]
    .map((byte) => {
      const character = String.fromCharCode(byte)
      return /[!#$&'*+.^_`|~0-9A-Za-z-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')

/** Returns the headers of a user. A header with several values occurs several times. */
export function identityHeaders({ name, uid, groups, extra }: User): [string, string][] {
  const headers: [string, string][] = [[frontProxyHeaders.username, byteText(name)]]
  if (uid !== '') headers.push([frontProxyHeaders.uid, byteText(uid)])
  for (const group of groups) headers.push([frontProxyHeaders.group, byteText(group)])
  for (const [key, values] of Object.entries(extra)) {
    for (const value of values) headers.push([frontProxyHeaders.extraPrefix + escapedKey(key), byteText(value)])
  }
  return headers
}

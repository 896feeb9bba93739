/** What tells versions of a document apart. */

/** The SHA-512 of bytes, in upper case. */
export async function sha512(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-512', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase()
}

/** The hash of a document that is not made yet, of all that decides about it: clients only ask whether it is another one. */
export function tagHash(tags: readonly string[]): Promise<string> {
  return sha512(new TextEncoder().encode(tags.join('\n')))
}

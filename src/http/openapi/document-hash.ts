/** Hashes of documents, used as entity tags. */

/** Returns the SHA-512 of bytes, in upper-case hexadecimal. */
export async function sha512(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-512', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase()
}

/**
 * Returns the hash of a document that has not been made yet, from the tags of all its inputs. Clients only compare it, so it need
 * not be the hash of the bytes.
 */
export function tagHash(tags: readonly string[]): Promise<string> {
  return sha512(new TextEncoder().encode(tags.join('\n')))
}

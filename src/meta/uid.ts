/** Returns a new `metadata.uid`: a random UUID of version 4. */
export function newUid(): string {
  return crypto.randomUUID()
}

/** Key prefixes as ranges of bytes. */
import type { KeyRange } from './statements.ts'

/**
 * Returns the range of keys that begin with `prefix`, which ends in `/`: `0` is the next byte. If `after` is one of these keys,
 * the range begins after it.
 */
export function keyRange(prefix: string, after?: string): KeyRange {
  if (!prefix.endsWith('/')) throw new Error(`a prefix must end in a slash: ${prefix}`)
  return { from: after?.startsWith(prefix) ? after : prefix, to: `${prefix.slice(0, -1)}0` }
}

/** The range of all keys, which begin with the name of a resource. */
export const allKeys: KeyRange = { from: '', to: '~' }

/** Returns all prefixes of a key, shortest first. */
export function prefixesOf(key: string): string[] {
  const prefixes: string[] = []
  for (let slash = key.indexOf('/'); slash !== -1; slash = key.indexOf('/', slash + 1)) prefixes.push(key.slice(0, slash + 1))
  return prefixes
}

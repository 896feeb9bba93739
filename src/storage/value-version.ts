/** Replaces the resourceVersion inside a stored value, without parsing it. */
import type { Stored } from './store.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a

/** Returns the index after the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at + 1
}

/**
 * Returns the index of the value of `member` in the object whose members are `depth` brackets deep, searched from `start` to that
 * object's end; -1 if the object has no such member. The text must be JSON without white space between tokens, as values are.
 */
function valueOfMember(text: string, member: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; ) {
    const character = text[at]
    if (character === '"') {
      const end = endOfString(text, at)
      if (depth === 1 && text.charCodeAt(end) === COLON && text.slice(at + 1, end - 1) === member) return end + 1
      at = end
      continue
    }
    if (character === '{' || character === '[') depth++
    else if ((character === '}' || character === ']') && --depth === 0) return -1
    at++
  }
  return -1
}

/** Returns the object under another version, also inside its value. A value without metadata.resourceVersion is not changed. */
export function withResourceVersion(stored: Stored, resourceVersion: number): Stored {
  const { value, writtenAt = stored.resourceVersion } = stored
  const metadata = valueOfMember(value, 'metadata', 0)
  const start = metadata === -1 ? -1 : valueOfMember(value, 'resourceVersion', metadata)
  if (start === -1) return { ...stored, resourceVersion, writtenAt }
  return {
    ...stored,
    resourceVersion,
    writtenAt,
    value: `${value.slice(0, start)}"${resourceVersion}"${value.slice(endOfString(value, start))}`,
  }
}

/** Splits objects in well-formed JSON without white space, without parsing the values. */
import { endOfString } from './json.ts'

const quote = 0x22
const openings = new Set([0x7b, 0x5b])
const closings = new Set([0x7d, 0x5d])
const comma = 0x2c

/** Returns the index after the last character of the value that begins at `start`. */
export function endOfValue(text: string, start: number): number {
  let depth = 0
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === quote) {
      i = endOfString(text, i)
      if (depth === 0) return i + 1
    } else if (openings.has(code)) depth++
    else if (closings.has(code)) {
      if (depth === 0) return i
      if (--depth === 0) return i + 1
    } else if (code === comma && depth === 0) return i
  }
  return text.length
}

/** A key with the text of its member: `"a":1`. */
export interface Member {
  readonly key: string
  readonly text: string
}

/** Returns the members of an object in their order. */
export function membersOf(text: string): Member[] {
  const members: Member[] = []
  for (let at = 1; at < text.length - 1; ) {
    const colon = endOfString(text, at) + 1
    const end = endOfValue(text, colon + 1)
    members.push({ key: JSON.parse(text.slice(at, colon)) as string, text: text.slice(at, end) })
    at = end + 1
  }
  return members
}

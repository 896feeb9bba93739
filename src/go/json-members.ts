/** Objects in JSON that is well-formed and has no white space, cut apart without being parsed. */
import { endOfString } from './json.ts'

const quote = 0x22
const openings = new Set([0x7b, 0x5b])
const closings = new Set([0x7d, 0x5d])
const comma = 0x2c

/** Where the value ends that begins at `start`: behind its last character. */
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

/** A key, and the text of it with its value: `"a":1`. */
export interface Member {
  readonly key: string
  readonly text: string
}

/** The members of an object in their order. */
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

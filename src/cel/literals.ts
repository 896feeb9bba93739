/** Parses the literals of expressions. */
import { append } from '../go/append.ts'
import { utf8Bytes } from './text.ts'
import { Double, intOf, MAX_INT, MAX_UINT, MIN_INT, Uint, type Value } from './value.ts'

/** The error of an invalid literal. */
export class BadLiteral {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

/** Parses an int, which may begin with `-` and be hexadecimal. */
export function intLiteral(text: string): Value | BadLiteral {
  const negative = text.startsWith('-')
  const magnitude = BigInt(negative ? text.slice(1) : text)
  const value = negative ? -magnitude : magnitude
  return value > MAX_INT || value < MIN_INT ? new BadLiteral('invalid int literal') : intOf(value)
}

/** Parses a uint with its `u`. */
export function uintLiteral(text: string): Value | BadLiteral {
  const value = BigInt(text.slice(0, -1))
  return value > MAX_UINT ? new BadLiteral('invalid uint literal') : new Uint(value)
}

/** Parses a double. */
export function doubleLiteral(text: string): Value | BadLiteral {
  const value = Number(text)
  return Number.isFinite(value) ? new Double(value) : new BadLiteral('invalid double literal')
}

const SIMPLE: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 0x5c,
  "'": 0x27,
  '"': 0x22,
  '`': 0x60,
  '?': 0x3f,
}

interface Quoted {
  readonly body: string
  readonly raw: boolean
}

/** Returns the text between the quotes, with line ends as \n. */
function unquote(text: string): Quoted {
  const normal = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  const raw = /^[rR]/.test(normal)
  const quoted = raw ? normal.slice(1) : normal
  const width = quoted.length >= 6 && (quoted.startsWith('"""') || quoted.startsWith("'''")) ? 3 : 1
  return { body: quoted.slice(width, -width), raw }
}

/** A decoded escape sequence: a code (a code point, or a byte in bytes) and its length in the text. */
interface Escape {
  readonly code: number
  readonly length: number
}

function readEscape(body: string, at: number): Escape {
  const c = body.charAt(at + 1)
  const simple = SIMPLE[c]
  if (simple !== undefined) return { code: simple, length: 2 }
  const digits = { x: 2, X: 2, u: 4, U: 8 }[c]
  if (digits === undefined) return { code: Number.parseInt(body.slice(at + 1, at + 4), 8), length: 4 }
  return { code: Number.parseInt(body.slice(at + 2, at + 2 + digits), 16), length: 2 + digits }
}

/** Parses a string literal with its quotes. */
export function stringLiteral(text: string): string | BadLiteral {
  const { body, raw } = unquote(text)
  if (raw || !body.includes('\\')) return body
  let value = ''
  for (let at = 0; at < body.length; ) {
    if (body[at] !== '\\') value += body[at++]
    else {
      const { code, length } = readEscape(body, at)
      if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return new BadLiteral('invalid unicode code point')
      value += String.fromCodePoint(code)
      at += length
    }
  }
  return value
}

/** Parses a bytes literal with quotes and `b`: escapes stand for bytes, other characters for their UTF-8. */
export function bytesLiteral(text: string): Uint8Array | BadLiteral {
  const { body, raw } = unquote(text.slice(1))
  if (raw || !body.includes('\\')) return utf8Bytes(body)
  const parts: number[] = []
  for (let at = 0; at < body.length; ) {
    const next = body.indexOf('\\', at)
    if (next !== at) {
      append(parts, utf8Bytes(body.slice(at, next < 0 ? undefined : next)))
      if (next < 0) break
      at = next
      continue
    }
    if (/[uU]/.test(body.charAt(at + 1))) return new BadLiteral('unable to unescape string')
    const { code, length } = readEscape(body, at)
    parts.push(code & 0xff)
    at += length
  }
  return Uint8Array.from(parts)
}

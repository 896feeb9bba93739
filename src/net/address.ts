/** IP addresses and prefixes with the rules of Go's net/netip. */
import { goQuote } from '../go/text.ts'

/** An IP address of 4 or 16 bytes. */
export interface Address {
  readonly bytes: readonly number[]
  /** The zone after `%`; '' if the address has none. */
  readonly zone: string
}

/** An address with the length of its prefix in bits. */
export interface Prefix {
  readonly address: Address
  readonly bits: number
}

function problem(text: string, message: string, at?: string): Error {
  return new Error(`ParseAddr(${goQuote(text)}): ${message}${at === undefined || at === '' ? '' : ` (at ${goQuote(at)})`}`)
}

/**
 * Whether IPv4 numbers may have leading zeros: net/netip rejects them; the parser that Kubernetes keeps for old objects ignores
 * them.
 */
type LeadingZeros = 'refused' | 'ignored'

/** Reads the four bytes of `part`, which is all or the end of `text`. */
function readFour(text: string, part: string, zeros: LeadingZeros): readonly number[] {
  const fields: number[] = []
  let digits = ''
  for (const [i, c] of [...part].entries()) {
    if (c >= '0' && c <= '9') {
      if (digits === '0' && zeros === 'refused') throw problem(text, 'IPv4 field has octet with leading zero')
      digits += c
      if (Number(digits) > 255) throw problem(text, 'IPv4 field has value >255')
    } else if (c === '.') {
      if (digits === '' || i === part.length - 1) throw problem(text, 'IPv4 field must have at least one digit', part.slice(i))
      if (fields.length === 3) throw problem(text, 'IPv4 address too long')
      fields.push(Number(digits))
      digits = ''
    } else throw problem(text, 'unexpected character', part.slice(i))
  }
  if (fields.length < 3) throw problem(text, 'IPv4 address too short')
  return [...fields, Number(digits)]
}

/** Reads a field of an IPv6 address: its value and its number of digits. */
function readField(text: string, rest: string): { readonly value: number; readonly length: number } {
  const [digits = ''] = /^[0-9a-fA-F]*/.exec(rest) ?? []
  if (digits.length > 4) throw problem(text, 'each group must have 4 or less digits', rest)
  if (digits === '') throw problem(text, 'each colon-separated field must have at least one digit', rest)
  return { value: Number.parseInt(digits, 16), length: digits.length }
}

/** The bytes so far, and the index at which `::` inserts zeros. */
interface Fields {
  readonly bytes: number[]
  ellipsis: number | undefined
}

/** Reads an IPv4 address at the end of an IPv6 address. */
function readEmbedded(text: string, rest: string, { bytes, ellipsis }: Fields, zeros: LeadingZeros): void {
  if (ellipsis === undefined && bytes.length !== 12)
    throw problem(text, 'embedded IPv4 address must replace the final 2 fields of the address', rest)
  if (bytes.length > 12) throw problem(text, 'too many hex fields to fit an embedded IPv4 at the end of the address', rest)
  bytes.push(...readFour(text, rest, zeros))
}

/** Reads the colon after a field. @returns the text after the colon */
function readColon(text: string, rest: string, fields: Fields): string {
  if (!rest.startsWith(':')) throw problem(text, 'unexpected character, want colon', rest)
  if (rest.length === 1) throw problem(text, 'colon must be followed by more characters', rest)
  if (!rest.startsWith('::')) return rest.slice(1)
  if (fields.ellipsis !== undefined) throw problem(text, 'multiple :: in address', rest.slice(1))
  fields.ellipsis = fields.bytes.length
  return rest.slice(2)
}

function readSixteen(text: string, zeros: LeadingZeros): Address {
  const percent = text.indexOf('%')
  const zone = percent < 0 ? '' : text.slice(percent + 1)
  if (percent >= 0 && zone === '') throw problem(text, 'zone must be a non-empty string')
  let rest = percent < 0 ? text : text.slice(0, percent)
  const fields: Fields = { bytes: [], ellipsis: rest.startsWith('::') ? 0 : undefined }
  if (fields.ellipsis === 0) rest = rest.slice(2)
  const onlyEllipsis = fields.ellipsis === 0 && rest === ''
  while (!onlyEllipsis && fields.bytes.length < 16) {
    const { value, length } = readField(text, rest)
    if (rest.charAt(length) === '.') {
      readEmbedded(text, rest, fields, zeros)
      rest = ''
      break
    }
    fields.bytes.push(value >> 8, value & 0xff)
    rest = rest.slice(length)
    if (rest === '') break
    rest = readColon(text, rest, fields)
    if (rest === '' && fields.ellipsis === fields.bytes.length) break
  }
  if (rest !== '') throw problem(text, 'trailing garbage after address', rest)
  return { bytes: expanded(text, fields), zone }
}

function expanded(text: string, { bytes, ellipsis }: Fields): readonly number[] {
  if (bytes.length === 16 && ellipsis === undefined) return bytes
  if (ellipsis === undefined) throw problem(text, 'address string too short')
  if (bytes.length === 16) throw problem(text, 'the :: must expand to at least one field of zeros')
  return bytes.toSpliced(ellipsis, 0, ...Array.from({ length: 16 - bytes.length }, () => 0))
}

/**
 * Parses an address. Follows netip.ParseAddr.
 * @throws Error with Go's text
 */
export function parseAddress(text: string, zeros: LeadingZeros = 'refused'): Address {
  const kind = /[.:%]/.exec(text)?.[0]
  if (kind === '.') return { bytes: readFour(text, text, zeros), zone: '' }
  if (kind === ':') return readSixteen(text, zeros)
  throw problem(text, kind === '%' ? 'missing IPv6 address' : 'unable to parse IP')
}

/**
 * Parses an address with a prefix length. Follows netip.ParsePrefix.
 * @throws Error with Go's text
 */
export function parsePrefix(text: string): Prefix {
  const wrong = (message: string): Error => new Error(`netip.ParsePrefix(${goQuote(text)}): ${message}`)
  const slash = text.lastIndexOf('/')
  if (slash < 0) throw wrong("no '/'")
  let address: Address
  try {
    address = parseAddress(text.slice(0, slash))
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : '')
  }
  if (address.zone !== '') throw wrong('IPv6 zones cannot be present in a prefix')
  const bits = text.slice(slash + 1)
  if (!/^(?:\d|[1-9]\d{0,17})$/.test(bits)) throw wrong(`bad bits after slash: ${goQuote(bits)}`)
  if (Number(bits) > address.bytes.length * 8) throw wrong('prefix length out of range')
  return { address, bits: Number(bits) }
}

/** Whether an IPv6 address is an IPv4-mapped one. */
export function isMapped({ bytes }: Address): boolean {
  return bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
}

/** Returns the longest run of at least two zero fields. */
function longestZeros(fields: readonly number[]): { readonly start: number; readonly end: number } {
  let best = { start: -1, end: -1 }
  for (let start = 0; start < fields.length; start++) {
    let end = start
    while (end < fields.length && fields[end] === 0) end++
    if (end - start >= 2 && end - start > best.end - best.start) best = { start, end }
  }
  return best
}

/** Formats an address in its canonical form (RFC 5952). */
export function formatAddress({ bytes }: Address): string {
  if (bytes.length === 4) return bytes.join('.')
  const fields = Array.from({ length: 8 }, (_, i) => (bytes[i * 2] ?? 0) * 256 + (bytes[i * 2 + 1] ?? 0))
  const { start, end } = longestZeros(fields)
  const text = (part: readonly number[]): string => part.map((field) => field.toString(16)).join(':')
  return start < 0 ? text(fields) : `${text(fields.slice(0, start))}::${text(fields.slice(end))}`
}

/** Returns the prefix with all bits after its length set to zero. Follows Prefix.Masked. */
export function masked({ address, bits }: Prefix): Prefix {
  const bytes = address.bytes.map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - i * 8))) & 0xff)
  return { address: { bytes, zone: '' }, bits }
}

/** Whether the first `bits` bits of two addresses of one family are equal. */
export function sharesBits(a: Address, b: Address, bits: number): boolean {
  if (a.bytes.length !== b.bytes.length) return false
  const [x, y] = [masked({ address: a, bits }), masked({ address: b, bits })]
  return x.address.bytes.every((byte, i) => byte === y.address.bytes[i])
}

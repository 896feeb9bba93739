/**
 * URLs with the rules of Go's net/url, which differ from the URL standard (it does not normalise). Texts in this file are byte
 * strings, one character per byte of UTF-8, because Go works on bytes.
 */
import { goQuote } from '../go/text.ts'
import { parseAddress } from './address.ts'

/** A parsed URL. */
export interface GoUrl {
  readonly scheme: string
  /** The text after the scheme if it is not a path. */
  readonly opaque: string
  /** The user information, escaped; undefined if the URL has none. */
  readonly user: string | undefined
  readonly host: string
  /** The path, escaped. */
  readonly path: string
  /** The query with its `?`; '' if the URL has none. */
  readonly query: string
  /** The fragment with its `#`, escaped; '' if the URL has none. */
  readonly fragment: string
}

/** The text is rejected by url.Parse. */
export class UrlError extends Error {}

const encoder = new TextEncoder()

/** Encodes a text as a byte string. */
function bytesOf(text: string): string {
  return Array.from(encoder.encode(text), (byte) => String.fromCharCode(byte)).join('')
}

/** Decodes a byte string. */
function textOf(bytes: string): string {
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)))
}

/** The characters that need no escape in a part of a URL, besides letters, digits and `-_.~`. */
const PLAIN = {
  host: '!$&\'()*+,;=:[]<>"',
  zone: '!$&\'()*+,;=:[]<>"',
  path: '$&+,/:;=@',
  user: '$&+,;=',
  fragment: '$&+,/:;=?@!()*',
  query: '',
} as const

type Part = keyof typeof PLAIN

function isPlain(byte: string, part: Part): boolean {
  return /[A-Za-z0-9\-_.~]/.test(byte) || PLAIN[part].includes(byte)
}

function escaped(bytes: string, part: Part): string {
  return bytes.replace(/[^A-Za-z0-9\-_.~]/g, (byte) =>
    isPlain(byte, part) ? byte : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}

const invalidEscape = (bytes: string): Error => new Error(`invalid URL escape ${goQuote(textOf(bytes))}`)

/** Rejects escapes that a host must not have: it may have only those of bytes beyond ASCII, and of the percent sign. */
function checkHostEscape(bytes: string, part: Part): void {
  if (bytes === '%25') return
  const byte = Number.parseInt(bytes.slice(1), 16)
  if (part === 'host' && byte < 0x80) throw invalidEscape(bytes)
  if (part === 'zone' && byte !== 0x20 && !isPlain(String.fromCharCode(byte), 'host')) throw invalidEscape(bytes)
}

/** Resolves the escapes. */
function unescaped(bytes: string, part: Part): string {
  const isHost = part === 'host' || part === 'zone'
  return bytes.replace(/%.{0,2}|[^%]/gs, (piece) => {
    if (!piece.startsWith('%')) {
      if (isHost && piece.charCodeAt(0) < 0x80 && !isPlain(piece, part))
        throw new Error(`invalid character ${goQuote(piece)} in host name`)
      return piece === '+' && part === 'query' ? ' ' : piece
    }
    if (!/^%[0-9A-Fa-f]{2}$/.test(piece)) throw invalidEscape(piece)
    if (isHost) checkHostEscape(piece, part)
    return String.fromCharCode(Number.parseInt(piece.slice(1), 16))
  })
}

/** Whether an escaped text contains no character that should have been escaped. */
function isValidEncoded(bytes: string, part: Part): boolean {
  return [...bytes].every((byte) => "!$&'()*+,;=:@[]%".includes(byte) || isPlain(byte, part))
}

/** Returns an escaped text unchanged if it is valid, otherwise unescaped and escaped again. */
function reescaped(bytes: string, part: Part): string {
  const plain = unescaped(bytes, part)
  return isValidEncoded(bytes, part) ? bytes : escaped(plain, part)
}

interface Cut {
  readonly scheme: string
  readonly rest: string
}

function cutScheme(bytes: string): Cut {
  const [, scheme] = /^([A-Za-z][A-Za-z0-9+\-.]*):/.exec(bytes) ?? []
  if (scheme !== undefined) return { scheme: scheme.toLowerCase(), rest: bytes.slice(scheme.length + 1) }
  if (bytes.startsWith(':')) throw new Error('missing protocol scheme')
  return { scheme: '', rest: bytes }
}

function checkPort(port: string): void {
  if (!/^(?::[0-9]*)?$/.test(port)) throw new Error(`invalid port ${goQuote(textOf(port))} after host`)
}

function readLiteral(host: string): string {
  const close = host.lastIndexOf(']')
  if (close < 0) throw new Error("missing ']' in host")
  const port = host.slice(close + 1)
  checkPort(port)
  const name = host.slice(1, close)
  const zone = name.indexOf('%25')
  const plain = zone < 0 ? unescaped(name, 'host') : unescaped(name.slice(0, zone), 'host') + unescaped(name.slice(zone), 'zone')
  let isFour: boolean
  try {
    isFour = parseAddress(textOf(plain)).bytes.length === 4
  } catch (error) {
    throw new Error(`invalid host: ${error instanceof Error ? error.message : ''}`)
  }
  if (isFour) throw new Error('invalid IP-literal')
  return `[${plain}]${unescaped(port, 'host')}`
}

function readHost(scheme: string, host: string): string {
  const open = host.lastIndexOf('[')
  if (open > 0) throw new Error('invalid IP-literal')
  if (open === 0) return readLiteral(host)
  const strict = scheme === 'http' || scheme === 'https'
  const colon = strict ? host.indexOf(':') : host.lastIndexOf(':')
  if (colon >= 0) checkPort(host.slice(colon))
  return unescaped(host, 'host')
}

function readUser(user: string): string {
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) throw new Error('net/url: invalid userinfo')
  const colon = user.indexOf(':')
  if (colon < 0) return escaped(unescaped(user, 'user'), 'user')
  const [name, password] = [unescaped(user.slice(0, colon), 'user'), unescaped(user.slice(colon + 1), 'user')]
  return `${escaped(name, 'user')}:${escaped(password, 'user')}`
}

const NOTHING: GoUrl = { scheme: '', opaque: '', user: undefined, host: '', path: '', query: '', fragment: '' }

function checkStart(bytes: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to reject.
  if (/[\x00-\x1f\x7f]/.test(bytes)) throw new Error('net/url: invalid control character in URL')
}

/** The URL of a request, or a reference as in documents. */
type Form = 'request' | 'reference'

function checkRelative(rest: string, form: Form): void {
  if (form === 'request') throw new Error('invalid URI for request')
  if (rest.split('/', 1)[0]?.includes(':') === true) throw new Error('first path segment in URL cannot contain colon')
}

function read(bytes: string, form: Form): GoUrl {
  checkStart(bytes)
  if (bytes === '' && form === 'request') throw new Error('empty url')
  if (bytes === '*') return { ...NOTHING, path: '*' }
  const { scheme, rest } = cutScheme(bytes)
  const mark = rest.indexOf('?')
  const query = mark < 0 ? '' : rest.slice(mark)
  const hierarchy = mark < 0 ? rest : rest.slice(0, mark)
  if (!hierarchy.startsWith('/')) {
    if (scheme !== '') return { ...NOTHING, scheme, opaque: hierarchy, query }
    checkRelative(hierarchy, form)
  }
  const hasAuthority = hierarchy.startsWith('//') && (scheme !== '' || (form === 'reference' && !hierarchy.startsWith('///')))
  if (!hasAuthority) return { ...NOTHING, scheme, path: reescaped(hierarchy, 'path'), query }
  const slash = hierarchy.indexOf('/', 2)
  const authority = slash < 0 ? hierarchy.slice(2) : hierarchy.slice(2, slash)
  const at = authority.lastIndexOf('@')
  const host = readHost(scheme, authority.slice(at + 1))
  const user = at < 0 ? undefined : readUser(authority.slice(0, at))
  return { ...NOTHING, scheme, user, host, path: reescaped(slash < 0 ? '' : hierarchy.slice(slash), 'path'), query }
}

/** Calls `read` and puts Go's prefix before its errors. */
function parsed(text: string, bytes: string, form: Form): GoUrl {
  try {
    return read(bytes, form)
  } catch (error) {
    throw new UrlError(`parse ${goQuote(text)}: ${error instanceof Error ? error.message : ''}`)
  }
}

/**
 * Checks that the text is an absolute URL or an absolute path. Follows url.ParseRequestURI.
 * @throws UrlError with Go's text
 */
export function checkRequestUri(text: string): void {
  parsed(text, bytesOf(text), 'request')
}

/**
 * Parses a URL. Follows url.Parse.
 * @throws UrlError with Go's text
 */
export function parseUrl(text: string): GoUrl {
  const bytes = bytesOf(text)
  const hash = bytes.indexOf('#')
  if (hash < 0) return parsed(text, bytes, 'reference')
  const before = bytes.slice(0, hash)
  const url = parsed(textOf(before), before, 'reference')
  if (hash === bytes.length - 1) return url
  try {
    return { ...url, fragment: `#${reescaped(bytes.slice(hash + 1), 'fragment')}` }
  } catch (error) {
    throw new UrlError(`parse ${goQuote(text)}: ${error instanceof Error ? error.message : ''}`)
  }
}

/** Formats a URL. Follows URL.String. */
export function formatUrl({ scheme, opaque, user, host, path, query, fragment }: GoUrl): string {
  const head = scheme === '' ? '' : `${scheme}:`
  if (opaque !== '') return textOf(head + opaque + query + fragment)
  const hasAuthority = user !== undefined || host !== ''
  const authority = hasAuthority ? `//${user === undefined ? '' : `${user}@`}${escaped(host, 'host')}` : ''
  return textOf(head + authority + path + query + fragment)
}

/** Returns the host without port and brackets, and the port. */
export function hostAndPort({ host }: GoUrl): { readonly name: string; readonly port: string } {
  const colon = host.lastIndexOf(':')
  const hasPort = colon >= 0 && /^:[0-9]*$/.test(host.slice(colon))
  const name = hasPort ? host.slice(0, colon) : host
  const bare = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name
  return { name: textOf(bare), port: hasPort ? host.slice(colon + 1) : '' }
}

/** Returns the parameters of the query as lists by name. Malformed parameters are dropped, as in Go. */
export function queryOf({ query }: GoUrl): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>()
  for (const part of query.slice(1).split('&')) {
    if (part === '' || part.includes(';')) continue
    const equals = part.indexOf('=')
    try {
      const name = textOf(unescaped(equals < 0 ? part : part.slice(0, equals), 'query'))
      const value = equals < 0 ? '' : textOf(unescaped(part.slice(equals + 1), 'query'))
      values.set(name, [...(values.get(name) ?? []), value])
    } catch {
      // Go drops malformed parameters.
    }
  }
  return values
}

/** Returns the host, the escaped path and the unescaped fragment, decoded. */
export function textsOf({ host, path, fragment }: GoUrl): {
  readonly host: string
  readonly path: string
  readonly fragment: string
} {
  return { host: textOf(host), path: textOf(path), fragment: textOf(unescaped(fragment.slice(1), 'fragment')) }
}

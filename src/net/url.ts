/** URLs as Go's net/url reads them: what it takes for one, its parts, and the texts of its errors. */
import { goQuote } from '../go/text.ts'

/** The parts of a URL; '' for those that are not there. */
export interface GoUrl {
  readonly scheme: string
  /** Whether there is an `@` in the authority, and what stands before it. */
  readonly user: string | undefined
  readonly host: string
  readonly path: string
  readonly query: string
  readonly fragment: string
}

/** Why the text is no URL, as url.Parse tells it. */
export class GoUrlError extends Error {}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const control = /[\u0000-\u001f\u007f]/
const hex = /^%[0-9a-fA-F]{2}/
const userinfo = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/
/** Characters below 0x80 that a host may have as they are. */
const hostCharacter = /[A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"\u0080-\u{10ffff}]/u

function schemeOf(text: string): readonly [scheme: string, rest: string] {
  const match = /^([a-zA-Z][a-zA-Z0-9+\-.]*):/.exec(text)
  if (match !== null) return [(match[1] ?? '').toLowerCase(), text.slice(match[0].length)]
  if (text.startsWith(':')) throw new GoUrlError('missing protocol scheme')
  return ['', text]
}

/** @throws GoUrlError for a `%` that begins no escape */
function checkEscapes(text: string): void {
  for (let at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 1)) {
    const sequence = text.slice(at, at + 3)
    if (!hex.test(sequence)) throw new GoUrlError(`invalid URL escape ${goQuote(sequence)}`)
  }
}

function checkHostCharacters(host: string): void {
  for (let at = 0; at < host.length; at++) {
    const character = String.fromCodePoint(host.codePointAt(at) ?? 0)
    if (character === '%') {
      const sequence = host.slice(at, at + 3)
      if (!hex.test(sequence) || (Number.parseInt(sequence.slice(1), 16) < 0x80 && sequence !== '%25')) {
        throw new GoUrlError(`invalid URL escape ${goQuote(sequence)}`)
      }
      at += 2
    } else if (!hostCharacter.test(character)) {
      throw new GoUrlError(`invalid character ${goQuote(character)} in host name`)
    } else at += character.length - 1
  }
}

function checkHost(host: string): void {
  const bracket = host.startsWith('[') ? host.lastIndexOf(']') : -1
  if (host.startsWith('[') && bracket < 0) throw new GoUrlError("missing ']' in host")
  const colon = bracket < 0 ? host.lastIndexOf(':') : bracket + 1
  const port = colon < 0 ? '' : host.slice(colon)
  if (port !== '' && !/^:\d*$/.test(port)) throw new GoUrlError(`invalid port ${goQuote(port)} after host`)
  checkHostCharacters(host)
}

function authorityOf(authority: string): Pick<GoUrl, 'user' | 'host'> {
  const at = authority.lastIndexOf('@')
  const host = authority.slice(at + 1)
  checkHost(host)
  if (at < 0) return { user: undefined, host }
  const user = authority.slice(0, at)
  if (!userinfo.test(user)) throw new GoUrlError('net/url: invalid userinfo')
  checkEscapes(user)
  return { user, host }
}

function cut(text: string, separator: string): readonly [before: string, after: string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

function parse(text: string): GoUrl {
  if (control.test(text)) throw new GoUrlError('net/url: invalid control character in URL')
  const [whole, fragment] = cut(text, '#')
  const none = { user: undefined, host: '' }
  if (whole === '*') return { scheme: '', ...none, path: '*', query: '', fragment }
  const [scheme, after] = schemeOf(whole)
  const [rest, query] = cut(after, '?')
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { scheme, ...none, path: '', query, fragment }
    if (cut(rest, '/')[0].includes(':')) throw new GoUrlError('first path segment in URL cannot contain colon')
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || !rest.startsWith('///'))
  const slash = hasAuthority ? rest.indexOf('/', 2) : 0
  const end = slash < 0 ? rest.length : slash
  const authority = hasAuthority ? authorityOf(rest.slice(2, end)) : none
  const path = rest.slice(end)
  checkEscapes(path)
  checkEscapes(fragment)
  return { scheme, ...authority, path, query, fragment }
}

/**
 * The parts of a URL (url.Parse).
 * @throws GoUrlError with the text of Go's error
 */
export function parseGoUrl(text: string): GoUrl {
  const [whole] = cut(text, '#')
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof GoUrlError)) throw error
    throw new GoUrlError(`parse ${goQuote(whole)}: ${error.message}`)
  }
}

/** Scans directives, anchors, aliases and tags. Follows YAML 1.1, and go.yaml.in/yaml/v2 for its errors. */
import { isBlank, isBreakOrEnd, isSpaceOrEnd, type Source } from './source.ts'
import { type PossibleKey, type Token, token } from './token.ts'

/** Scans the name of an anchor or alias, from its indicator. */
export function scanName(source: Source): string {
  source.skip()
  const name = source.read(/[\w-]+/y)
  const code = source.code()
  if (name === '' || (!isSpaceOrEnd(code) && !'?:,]}%@`'.includes(String.fromCharCode(code)))) {
    throw source.error('did not find expected alphabetic or numeric character')
  }
  return name
}

function decodeUri(source: Source, uri: string): string {
  if (source.code() === 0x25) throw source.error('did not find URI escaped octet')
  try {
    return decodeURIComponent(uri)
  } catch {
    throw source.error('found an incorrect leading UTF-8 octet')
  }
}

const readUri = (source: Source): string => decodeUri(source, source.read(/(?:[\w\-;/?:@&=+$,.!~*'()[\]]|%[0-9a-fA-F]{2})*/y))

function requireUri(source: Source): string {
  const uri = readUri(source)
  if (uri === '') throw source.error('did not find expected tag URI')
  return uri
}

function requireSpace(source: Source): void {
  if (!isSpaceOrEnd(source.code())) throw source.error('did not find expected whitespace or line break')
}

/** Reads a tag's handle and suffix: `!!str`, `!local`, `!<tag:yaml.org,2002:str>` (without a handle), `!`. */
function readTag(source: Source): { handle: string; suffix: string } {
  if (source.code(1) === 0x3c) {
    source.skip(2)
    const suffix = requireUri(source)
    if (source.code() !== 0x3e) throw source.error("did not find the expected '>'")
    source.skip()
    return { handle: '', suffix }
  }
  const named = source.read(/![\w-]*!/y)
  if (named !== '') return { handle: named, suffix: requireUri(source) }
  source.skip()
  const suffix = readUri(source)
  return suffix === '' ? { handle: '', suffix: '!' } : { handle: '!', suffix }
}

export function scanTag(source: Source, key: PossibleKey | undefined): Token {
  const { line } = source
  const { handle, suffix } = readTag(source)
  requireSpace(source)
  return token('tag', line, handle, suffix, key)
}

function readVersionNumber(source: Source): string {
  const digits = source.read(/[0-9]{0,3}/y)
  if (digits.length > 2) throw source.error('found extremely long version number')
  if (digits === '') throw source.error('did not find expected version number')
  return String(Number(digits))
}

function readVersion(source: Source, line: number): Token {
  source.skipBlanks()
  const major = readVersionNumber(source)
  if (source.code() !== 0x2e) throw source.error("did not find expected digit or '.' character")
  source.skip()
  return token('version-directive', line, `${major}.${readVersionNumber(source)}`)
}

function readTagDirective(source: Source, line: number): Token {
  source.skipBlanks()
  const handle = source.read(/![\w-]*!?/y)
  if (handle === '' || (handle.length > 1 && !handle.endsWith('!'))) throw source.error("did not find expected '!'")
  if (!isBlank(source.code())) throw source.error('did not find expected whitespace')
  source.skipBlanks()
  const prefix = requireUri(source)
  requireSpace(source)
  return token('tag-directive', line, handle, prefix)
}

const directives: ReadonlyMap<string, (source: Source, line: number) => Token> = new Map([
  ['YAML', readVersion],
  ['TAG', readTagDirective],
])

/** Scans a directive with its line, from the `%`. */
export function scanDirective(source: Source): Token {
  const { line } = source
  source.skip()
  const name = source.read(/[\w-]+/y)
  if (name === '') throw source.error('could not find expected directive name')
  if (!isSpaceOrEnd(source.code())) throw source.error('found unexpected non-alphabetical character')
  const read = directives.get(name)
  if (read === undefined) throw source.error('found unknown directive name')
  const directive = read(source, line)
  source.skipBlanks()
  source.skipComment()
  if (!isBreakOrEnd(source.code())) throw source.error('did not find expected comment or line break')
  source.readBreak()
  return directive
}

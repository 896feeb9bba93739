/** What the scanner of YAML hands to the composer. */

export type TokenType =
  | 'stream-end'
  | 'version-directive'
  | 'tag-directive'
  | 'document-start'
  | 'document-end'
  | 'block-sequence-start'
  | 'block-mapping-start'
  | 'block-end'
  | 'flow-sequence-start'
  | 'flow-sequence-end'
  | 'flow-mapping-start'
  | 'flow-mapping-end'
  | 'block-entry'
  | 'flow-entry'
  | 'key'
  | 'value'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'plain-scalar'
  | 'quoted-scalar'
  | 'block-scalar'

/** A node that a colon behind it would make a key. */
export interface PossibleKey {
  possible: boolean
  /** Whether its token is held back until that is decided. */
  awaited: boolean
  /** Whether the line can be nothing but a key with its value. */
  readonly required: boolean
  /** The place of its token in the stream of tokens. */
  readonly number: number
  readonly position: number
  readonly line: number
  readonly column: number
}

export interface Token {
  readonly type: TokenType
  /** Where it begins, counted from zero. */
  readonly line: number
  /** A scalar's text, an anchor's or alias's name, a tag's or %TAG directive's handle, the version of %YAML. */
  readonly value: string
  /** Of a tag what stands behind its handle, of a %TAG directive the prefix. */
  readonly suffix: string
  readonly key: PossibleKey | undefined
}

export function token(type: TokenType, line: number, value = '', suffix = '', key?: PossibleKey): Token {
  return { type, line, value, suffix, key }
}

/** The tokens between the scanner and the composer. */

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

/** A possible simple key: a node that becomes a key if a colon follows. */
export interface PossibleKey {
  possible: boolean
  /** Whether its token is held back until that is decided. */
  awaited: boolean
  /** Whether the line must be a key with its value. */
  readonly required: boolean
  /** The number of its token, counted from the beginning of the stream. */
  readonly number: number
  readonly position: number
  readonly line: number
  readonly column: number
}

export interface Token {
  readonly type: TokenType
  /** The line of its first character, counted from zero. */
  readonly line: number
  /** The text of a scalar, the name of an anchor or alias, the handle of a tag or %TAG directive, or the version of %YAML. */
  readonly value: string
  /** The suffix of a tag after its handle, or the prefix of a %TAG directive. */
  readonly suffix: string
  readonly key: PossibleKey | undefined
}

export function token(type: TokenType, line: number, value = '', suffix = '', key?: PossibleKey): Token {
  return { type, line, value, suffix, key }
}

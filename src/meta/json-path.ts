/** Parses JSONPath expressions. Follows the grammar of k8s.io/client-go/util/jsonpath. */

/** One of the three numbers of `[from:to:by]`; undefined if omitted. */
export type Bound = number | undefined

/** A node of a path. A quoted text or a number, as in filters, is a literal. */
export type Node =
  | { readonly is: 'field'; readonly name: string }
  | { readonly is: 'wildcard' }
  | { readonly is: 'descent' }
  | { readonly is: 'slice'; readonly from: Bound; readonly to: Bound; readonly by: Bound; readonly one: boolean }
  | { readonly is: 'union'; readonly branches: readonly (readonly Node[])[] }
  | { readonly is: 'filter'; readonly left: readonly Node[]; readonly operator: string; readonly right: readonly Node[] }
  | { readonly is: 'literal'; readonly value: string | number | boolean; readonly type: 'string' | 'int' | 'float' | 'bool' }
  | { readonly is: 'identifier' }

/** The text is not a valid path, or the path cannot be evaluated on the object. */
export class JsonPathError extends Error {}

/** Bounds on hostile paths; longer ones do not occur in practice. */
const mostCharacters = 4096
const mostDepth = 32

/** Formats a character with Go's %#U: `U+002F '/'`. */
function codePoint(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return /[ \p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(character) ? `U+${hex} '${character}'` : `U+${hex}`
}

const endsName = /[ \t\r\n.,[\]$@{}]/
const startsName = /[\p{L}\p{Nd}_]/u
const comparison = /^([^!<>=]+)([!<>=]+)(.+)$/s
const sliceText = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/
const escapes: Readonly<Record<string, string>> = { a: '\u0007', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

/** Removes the quotes, of either kind, and resolves Go's escapes. */
function unquote(text: string): string {
  const quote = text[0]
  return text.slice(1, -1).replace(/\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[\s\S])/g, (_, escaped: string) => {
    if (escaped.length > 1) return String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    if (escaped === quote || escaped === '\\') return escaped
    const control = escapes[escaped]
    if (control === undefined) throw new JsonPathError('invalid syntax')
    return control
  })
}

function integer(text: string): Bound {
  if (text === '' || text === ':') return undefined
  const value = Number(text.replace(/^:/, ''))
  if (!Number.isSafeInteger(value)) throw new JsonPathError(`array index ${text} is not a number`)
  return value
}

class Reader {
  readonly #text: string
  readonly #depth: number
  #at = 0

  constructor(text: string, depth: number) {
    if (text.length > mostCharacters || depth > mostDepth) throw new JsonPathError('path too long')
    this.#text = text
    this.#depth = depth
  }

  nodes(): Node[] {
    const nodes: Node[] = []
    while (this.#at < this.#text.length && this.#text[this.#at] !== '}') {
      const last = nodes.at(-1)
      for (const node of this.#next()) {
        if (node.is === 'descent' && last?.is === 'descent') throw new JsonPathError('invalid multiple recursive descent')
        nodes.push(node)
      }
    }
    return nodes
  }

  #next(): readonly Node[] {
    if (this.#text.startsWith('[?(', this.#at)) return [this.#filter()]
    if (this.#text.startsWith('..', this.#at)) return this.#descent()
    const character = this.#text[this.#at] ?? ''
    if (' @$'.includes(character)) return this.#skip()
    if (character === '[') return this.#array()
    if (character === '"' || character === "'") return [this.#quoted(character)]
    if (character === '.') {
      this.#at++
      return [this.#field()]
    }
    if (/[-+\p{Nd}]/u.test(character)) return [this.#number()]
    if (startsName.test(character)) return [this.#word()]
    throw new JsonPathError(
      `unrecognized character in action: ${codePoint(String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0))}`,
    )
  }

  #skip(): readonly Node[] {
    this.#at++
    return []
  }

  /** Reads the characters up to one that ends names; a character after a backslash never does, nor does the closing brace. */
  #name(): string {
    const start = this.#at
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at] ?? ''
      if (character === '\\') {
        if (++this.#at === this.#text.length) throw new JsonPathError('unclosed action')
      } else if (endsName.test(character)) break
    }
    return this.#text.slice(start, this.#at)
  }

  #field(): Node {
    const name = this.#name()
    return name === '*' ? { is: 'wildcard' } : { is: 'field', name: name.replaceAll('\\', '') }
  }

  #descent(): readonly Node[] {
    this.#at += 2
    return startsName.test(this.#text[this.#at] ?? '') ? [{ is: 'descent' }, this.#field()] : [{ is: 'descent' }]
  }

  #word(): Node {
    const word = this.#name()
    return word === 'true' || word === 'false' ? { is: 'literal', value: word === 'true', type: 'bool' } : { is: 'identifier' }
  }

  #number(): Node {
    const [digits = ''] = /^[-+]?[\d.]*/.exec(this.#text.slice(this.#at)) ?? []
    this.#at += digits.length
    const value = Number(digits)
    if (!/\d/.test(digits) || Number.isNaN(value)) throw new JsonPathError(`cannot parse number ${digits}`)
    return { is: 'literal', value, type: digits.includes('.') ? 'float' : 'int' }
  }

  /** Returns the index of the closing quote. */
  #closing(quote: string, from: number): number {
    for (let at = from; at < this.#text.length; at++) {
      if (this.#text[at] === '\n') break
      if (this.#text[at] === quote && this.#text[at - 1] !== '\\') return at
    }
    throw new JsonPathError('unterminated quoted string')
  }

  #quoted(quote: string): Node {
    const end = this.#closing(quote, this.#at + 1) + 1
    const text = this.#text.slice(this.#at, end)
    this.#at = end
    return { is: 'literal', value: unquote(text), type: 'string' }
  }

  #inner(text: string): Node[] {
    return new Reader(text, this.#depth + 1).nodes()
  }

  /** Parses brackets: a union, a quoted key, or a slice. */
  #array(): readonly Node[] {
    const end = this.#text.indexOf(']', this.#at)
    const inside = this.#text.slice(this.#at + 1, end)
    if (end < 0 || inside.includes('\n')) throw new JsonPathError('unterminated array')
    this.#at = end + 1
    const branches = inside.split(',')
    if (branches.length > 1) return [{ is: 'union', branches: branches.map((branch) => this.#inner(`[${branch.trim()}]`)) }]
    const key = /^'([^']*)'$/.exec(inside)
    return key === null ? [sliceOf(inside === '*' ? ':' : inside)] : this.#inner(`.${key[1]}`)
  }

  /** Reads the text of a filter up to the closing parenthesis. */
  #filterText(): string {
    const start = this.#at + 3
    let quote = ''
    for (this.#at = start; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at] ?? ''
      if (character === '\n') break
      if (quote === '' && (character === '"' || character === "'")) quote = character
      else if (quote === character && this.#text[this.#at - 1] !== '\\') quote = ''
      else if (character === ')' && quote === '') return this.#text.slice(start, this.#at++)
    }
    throw new JsonPathError('unterminated filter')
  }

  #filter(): Node {
    const text = this.#filterText()
    if (this.#text[this.#at++] !== ']') throw new JsonPathError('unclosed array expect ]')
    const [, left, operator = '', right = ''] = comparison.exec(text) ?? []
    if (left === undefined) return { is: 'filter', left: this.#inner(text), operator: 'exists', right: [] }
    return { is: 'filter', left: this.#inner(left), operator, right: this.#inner(right) }
  }
}

function sliceOf(text: string): Node {
  const parts = sliceText.exec(text)
  if (parts === null) throw new JsonPathError(`invalid array index ${text}`)
  const [, from = '', to, by = ''] = parts
  return { is: 'slice', from: integer(from), to: integer(to ?? ''), by: integer(by), one: to === undefined }
}

/**
 * Parses a path without the enclosing braces of a template.
 * @throws JsonPathError if the text is not a valid path
 */
export function parsePath(text: string): readonly Node[] {
  return new Reader(text, 0).nodes()
}

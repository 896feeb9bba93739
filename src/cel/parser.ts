/** The parser: reads tokens into a tree (CEL's grammar) and expands macros. */

import type { Element, Entry, Expression, Field } from './ast.ts'
import type { Token, TokenKind } from './lex.ts'
import { BadLiteral, bytesLiteral, doubleLiteral, intLiteral, stringLiteral, uintLiteral } from './literals.ts'
import { callOrMacro, type Macros } from './macro-calls.ts'
import { isReserved } from './names.ts'
import { type Issues, NOWHERE } from './source.ts'
import type { Value } from './value.ts'

const MAX_DEPTH = 250

const RELATIONS: ReadonlySet<TokenKind> = new Set(['<', '<=', '>=', '>', '==', '!=', 'in'])
const PRODUCTS: ReadonlySet<TokenKind> = new Set(['*', '/', '%'])
const SUMS: ReadonlySet<TokenKind> = new Set(['+', '-'])

/** Leaves the parser because the text does not match the grammar. */
export class Unparsable extends Error {}

/** Leaves the parser because the text is nested too deeply. */
export class TooDeep extends Unparsable {}

/** The nesting of the rules for which cel-go has a limit. */
interface Depths {
  expression: number
  relation: number
  calculation: number
}

/** Reads the tokens of one expression. */
export class Parser {
  readonly #tokens: readonly Token[]
  readonly #text: string
  readonly #macros: Macros
  readonly #issues: Issues
  readonly #depths: Depths = { expression: 0, relation: 0, calculation: 0 }
  #at = 0
  /** The nesting of operations and selections in the node that was read last. */
  #height = 0

  constructor(text: string, tokens: readonly Token[], macros: Macros, issues: Issues) {
    this.#text = text
    this.#tokens = tokens
    this.#macros = macros
    this.#issues = issues
  }

  read(): Expression {
    const node = this.#expression()
    if (this.#peek().kind !== '<EOF>') throw new Unparsable()
    if (this.#height > MAX_DEPTH) this.#issues.report(NOWHERE, 'max recursion depth exceeded')
    return node
  }

  #peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)] as Token
  }

  #next(): Token {
    const token = this.#peek()
    this.#at++
    return token
  }

  #take(kind: TokenKind): Token | undefined {
    return this.#peek().kind === kind ? this.#next() : undefined
  }

  #expect(kind: TokenKind): Token {
    const token = this.#take(kind)
    if (token === undefined) throw new Unparsable()
    return token
  }

  #textOf(token: Token): string {
    return this.#text.slice(token.start, token.end)
  }

  #enter(rule: keyof Depths): void {
    if (++this.#depths[rule] <= MAX_DEPTH) return
    this.#issues.report(NOWHERE, `expression recursion limit exceeded: ${MAX_DEPTH}`)
    throw new TooDeep()
  }

  #unreadable(offset: number, message: string): Expression {
    this.#issues.report(offset, message)
    return { kind: 'unreadable', offset }
  }

  #expression(): Expression {
    this.#enter('expression')
    const condition = this.#logical('||')
    const question = this.#take('?')
    let node = condition
    if (question !== undefined) {
      let height = this.#height
      const whenTrue = this.#logical('||')
      height = Math.max(height, this.#height)
      this.#expect(':')
      const whenFalse = this.#expression()
      this.#height = Math.max(height, this.#height) + 1
      node = this.#call(question.start, '_?_:_', undefined, [condition, whenTrue, whenFalse])
    }
    this.#depths.expression--
    return node
  }

  #logical(operator: '||' | '&&'): Expression {
    const operand = (): Expression => (operator === '||' ? this.#logical('&&') : this.#relation())
    const terms = [operand()]
    const offsets: number[] = []
    let height = this.#height
    for (let token = this.#take(operator); token !== undefined; token = this.#take(operator)) {
      offsets.push(token.start)
      terms.push(operand())
      height = Math.max(height, this.#height)
    }
    this.#height = height
    return offsets.length === 0 ? (terms[0] as Expression) : this.#balanced(operator, terms, offsets, 0, offsets.length - 1)
  }

  /** Builds a balanced tree for a chain of one logical operator. */
  #balanced(operator: string, terms: readonly Expression[], offsets: readonly number[], low: number, high: number): Expression {
    const middle = Math.trunc((low + high + 1) / 2)
    const left = middle === low ? terms[middle] : this.#balanced(operator, terms, offsets, low, middle - 1)
    const right = middle === high ? terms[middle + 1] : this.#balanced(operator, terms, offsets, middle + 1, high)
    return this.#call(offsets[middle] as number, `_${operator}_`, undefined, [left as Expression, right as Expression])
  }

  #relation(): Expression {
    this.#enter('relation')
    let left = this.#sum()
    while (RELATIONS.has(this.#peek().kind)) left = this.#binary(left, 'relation', () => this.#sum())
    this.#depths.relation--
    return left
  }

  #sum(): Expression {
    this.#enter('calculation')
    let left = this.#product()
    while (SUMS.has(this.#peek().kind)) left = this.#binary(left, 'calculation', () => this.#product())
    this.#depths.calculation--
    return left
  }

  #product(): Expression {
    let left = this.#unary()
    while (PRODUCTS.has(this.#peek().kind)) left = this.#binary(left, 'calculation', () => this.#unary())
    return left
  }

  /** Reads the next operator and its right operand, which counts as one level of its rule. */
  #binary(left: Expression, rule: keyof Depths, operand: () => Expression): Expression {
    const height = this.#height
    const token = this.#next()
    this.#enter(rule)
    const right = operand()
    this.#depths[rule]--
    this.#height = Math.max(height, this.#height) + 1
    return this.#call(token.start, token.kind === 'in' ? '@in' : `_${token.kind}_`, undefined, [left, right])
  }

  #unary(): Expression {
    const token = this.#peek()
    if (token.kind !== '!' && token.kind !== '-') return this.#member()
    const literal = token.kind === '-' ? this.#negativeLiteral(token) : undefined
    if (literal !== undefined) return this.#members(literal)
    let count = 0
    while (this.#take(token.kind) !== undefined) count++
    const minus = this.#peek()
    const negative = minus.kind === '-' ? this.#negativeLiteral(minus) : undefined
    const operand = negative === undefined ? this.#member() : this.#members(negative)
    return count % 2 === 0 ? operand : this.#call(token.start, token.kind === '!' ? '!_' : '-_', undefined, [operand])
  }

  /** Reads a negative number as one literal. */
  #negativeLiteral(minus: Token): Expression | undefined {
    const { kind } = this.#peek(1)
    if (kind !== 'NUM_INT' && kind !== 'NUM_FLOAT') return undefined
    this.#next()
    const digits = this.#textOf(this.#next())
    const read = kind === 'NUM_INT' ? intLiteral : doubleLiteral
    this.#height = 0
    return this.#literal(minus.start, read(`-${digits}`))
  }

  #member(): Expression {
    return this.#members(this.#primary())
  }

  /** Reads the selections, calls and indexes that follow an expression. */
  #members(primary: Expression): Expression {
    let node = primary
    for (;;) {
      const token = this.#peek()
      if (token.kind === '.') node = this.#selection(node)
      else if (token.kind === '[') node = this.#index(node)
      else return node
    }
  }

  #selection(operand: Expression): Expression {
    const dot = this.#next()
    const optional = this.#take('?')
    const name = this.#take('IDENTIFIER') ?? this.#expect('ESC_IDENTIFIER')
    const field = this.#textOf(name)
    if (name.kind === 'ESC_IDENTIFIER') this.#issues.report(name.start, "unsupported syntax: '`'")
    const height = this.#height
    const open = optional === undefined && name.kind === 'IDENTIFIER' ? this.#take('(') : undefined
    if (open !== undefined) {
      const args = this.#arguments()
      this.#height = Math.max(height, this.#height) + 1
      return this.#call(open.start, field, operand, args)
    }
    this.#height = height + 1
    if (optional === undefined) return { kind: 'select', offset: dot.start, operand, field, test: false }
    return this.#call(dot.start, '_?._', undefined, [operand, { kind: 'literal', offset: name.start, value: field }])
  }

  #index(operand: Expression): Expression {
    const open = this.#next()
    const optional = this.#take('?')
    const height = this.#height
    const index = this.#expression()
    this.#expect(']')
    this.#height = Math.max(height, this.#height) + 1
    return this.#call(open.start, optional === undefined ? '_[_]' : '_[?_]', undefined, [operand, index])
  }

  /** Reads the arguments of a call after the opening parenthesis. */
  #arguments(): Expression[] {
    const args: Expression[] = []
    let height = 0
    if (this.#peek().kind !== ')') {
      do {
        args.push(this.#expression())
        height = Math.max(height, this.#height)
      } while (this.#take(',') !== undefined)
    }
    this.#expect(')')
    this.#height = height
    return args
  }

  #primary(): Expression {
    const token = this.#next()
    this.#height = 0
    switch (token.kind) {
      case '(':
        return this.#nested()
      case '[':
        return this.#list(token)
      case '{':
        return { kind: 'map', offset: token.start, entries: this.#items('}', () => this.#entry()) }
      case '.':
        return this.#name(token, this.#expect('IDENTIFIER'))
      case 'IDENTIFIER':
        return this.#name(undefined, token)
      default:
        return this.#constant(token)
    }
  }

  #nested(): Expression {
    const node = this.#expression()
    this.#expect(')')
    return node
  }

  #constant(token: Token): Expression {
    const text = this.#textOf(token)
    switch (token.kind) {
      case 'NUM_INT':
        return this.#literal(token.start, intLiteral(text))
      case 'NUM_UINT':
        return this.#literal(token.start, uintLiteral(text))
      case 'NUM_FLOAT':
        return this.#literal(token.start, doubleLiteral(text))
      case 'STRING':
        return this.#literal(token.start, stringLiteral(text))
      case 'BYTES':
        return this.#literal(token.start, bytesLiteral(text))
      case 'true':
      case 'false':
        return this.#literal(token.start, token.kind === 'true')
      case 'null':
        return this.#literal(token.start, null)
      default:
        throw new Unparsable()
    }
  }

  #literal(offset: number, value: Value | BadLiteral): Expression {
    return value instanceof BadLiteral ? this.#unreadable(offset, value.message) : { kind: 'literal', offset, value }
  }

  #list(open: Token): Expression {
    const elements = this.#items(']', (): Element => {
      const optional = this.#take('?') !== undefined
      return { value: this.#expression(), optional }
    })
    return { kind: 'list', offset: open.start, elements }
  }

  #entry(): Entry {
    const optional = this.#take('?') !== undefined
    const key = this.#expression()
    const height = this.#height
    const colon = this.#expect(':')
    const value = this.#expression()
    this.#height = Math.max(height, this.#height)
    return { offset: colon.start, key, value, optional }
  }

  /** @param start the offset of the first field */
  #field(start: number): Field {
    const optional = this.#take('?') !== undefined
    const name = this.#take('IDENTIFIER') ?? this.#expect('ESC_IDENTIFIER')
    if (name.kind === 'ESC_IDENTIFIER') this.#issues.report(start, "unsupported syntax: '`'")
    const colon = this.#expect(':')
    return { offset: colon.start, name: this.#textOf(name), value: this.#expression(), optional }
  }

  /** Reads items up to the closing bracket, separated by commas; a trailing comma is allowed. */
  #items<T>(close: ']' | '}', item: () => T): T[] {
    const items: T[] = []
    let height = 0
    while (this.#peek().kind !== close && this.#peek().kind !== ',') {
      items.push(item())
      height = Math.max(height, this.#height)
      if (this.#peek(1).kind === close || this.#take(',') === undefined) break
    }
    this.#take(',')
    this.#expect(close)
    this.#height = height
    return items
  }

  /** Reads a name: of a variable, a called function, or a constructed type. */
  #name(dot: Token | undefined, token: Token): Expression {
    const struct = this.#structName(token)
    const prefix = dot === undefined ? '' : '.'
    if (struct !== undefined) {
      const open = this.#expect('{')
      const { start } = this.#peek()
      const fields = this.#items('}', () => this.#field(start))
      return { kind: 'struct', offset: open.start, name: prefix + struct, fields }
    }
    const name = this.#textOf(token)
    const open = this.#take('(')
    if (open === undefined) {
      if (isReserved(name)) return this.#unreadable((dot ?? token).start, `reserved identifier: ${name}`)
      return { kind: 'identifier', offset: token.start, name: prefix + name }
    }
    const args = this.#arguments()
    if (isReserved(name)) return this.#unreadable((dot ?? token).start, `reserved identifier: ${name}`)
    return this.#call(open.start, prefix + name, undefined, args)
  }

  /** Reads a dotted name if an opening brace follows it. */
  #structName(first: Token): string | undefined {
    let ahead = 0
    while (this.#peek(ahead).kind === '.' && this.#peek(ahead + 1).kind === 'IDENTIFIER') ahead += 2
    if (this.#peek(ahead).kind !== '{') return undefined
    const names = [first]
    for (let i = 1; i < ahead; i += 2) names.push(this.#peek(i))
    this.#at += ahead
    return names.map((name) => this.#textOf(name)).join('.')
  }

  #call(offset: number, name: string, target: Expression | undefined, args: readonly Expression[]): Expression {
    return callOrMacro(this.#macros, this.#issues, offset, name, target, args)
  }
}

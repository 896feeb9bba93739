/**
 * Reports the further errors of a text with syntax errors, as cel-go does after recovery: invalid macro calls, reserved names and
 * invalid literals.
 */
import type { Element, Entry, Expression, Field } from './ast.ts'
import type { RuleName } from './grammar.ts'
import type { Token, TokenKind } from './lex.ts'
import { BadLiteral, bytesLiteral, doubleLiteral, intLiteral, stringLiteral, uintLiteral } from './literals.ts'
import { callOrMacro, type Macros } from './macro-calls.ts'
import { isReserved } from './names.ts'
import { isChosen, isRule, isToken, type RuleNode } from './parse-tree.ts'
import { BEFORE_TEXT, type Issues, NOWHERE } from './source.ts'
import type { Value } from './value.ts'

/** A placeholder for a missing expression. */
const missing: Expression = { kind: 'unreadable', offset: BEFORE_TEXT }

const unreadable = (offset: number): Expression => ({ kind: 'unreadable', offset })

const rulesOf = (node: RuleNode, ...rules: readonly RuleName[]): RuleNode[] =>
  node.children.filter(isRule).filter(({ rule }) => rules.includes(rule))

const tokensOf = (node: RuleNode, ...kinds: readonly TokenKind[]): Token[] =>
  node.children.filter(isToken).filter(({ kind }) => kinds.includes(kind))

const alternativeOf = (node: RuleNode): number | undefined => node.children.find(isChosen)?.alternative

/** Splits the children of a rule at each choice. */
function parts(node: RuleNode): RuleNode[] {
  const found: RuleNode[] = []
  for (const child of node.children) {
    if (isChosen(child)) found.push({ ...node, children: [] })
    found.at(-1)?.children.push(child)
  }
  return found
}

/** For each rule, the rule that it consists of if it is not an operation. */
const passedOn: Partial<Record<RuleName, RuleName>> = {
  start: 'expr',
  expr: 'conditionalOr',
  conditionalOr: 'conditionalAnd',
  conditionalAnd: 'relation',
  relation: 'calc',
  calc: 'unary',
  member: 'primary',
}

const parenthesized = 2

/** Returns the only rule within a rule that merely wraps it; undefined if the rule stands for itself. */
function withinOf(node: RuleNode): RuleName | undefined {
  if (node.rule === 'unary') return alternativeOf(node) === 0 ? 'member' : undefined
  if (node.rule === 'primary') return alternativeOf(node) === parenthesized ? 'expr' : undefined
  const isPlain = !node.children.some((child) => isChosen(child) || (isToken(child) && child.kind !== '<EOF>'))
  return isPlain || node.rule === 'start' ? passedOn[node.rule] : undefined
}

/** Returns the first rule within that stands for itself: most rules only wrap another, possibly deeply. */
function unnested(node: RuleNode | undefined): RuleNode | undefined {
  let found = node
  while (found !== undefined) {
    const within = withinOf(found)
    if (within === undefined) return found
    found = rulesOf(found, within)[0]
  }
  return undefined
}

type Read = (node: RuleNode) => Expression

/** The maximum nesting of operations and selections. */
const MAX_DEPTH = 250

/** Leaves a tree that is nested too deeply. */
class TooDeep extends Error {}

class DamagedReader {
  readonly #text: string
  readonly #macros: Macros
  readonly #issues: Issues
  #depth = 0
  readonly #readers: Partial<Record<RuleName, Read>> = {
    expr: (node) => this.#conditional(node),
    conditionalOr: (node) => this.#logical(node, '||', 'conditionalAnd'),
    conditionalAnd: (node) => this.#logical(node, '&&', 'relation'),
    relation: (node) => this.#operations(node, 'calc', 'relation'),
    calc: (node) => this.#operations(node, 'unary', 'calc'),
    unary: (node) => this.#unary(node),
    member: (node) => this.#member(node),
    primary: (node) => this.#primary(node),
    literal: (node) => this.#literal(node),
  }

  constructor(text: string, macros: Macros, issues: Issues) {
    this.#text = text
    this.#macros = macros
    this.#issues = issues
  }

  read(node: RuleNode | undefined): Expression {
    const found = unnested(node)
    return found === undefined ? missing : (this.#readers[found.rule]?.(found) ?? missing)
  }

  #textOf({ start, end }: Token): string {
    return this.#text.slice(start, end)
  }

  #wrong(offset: number, message: string): Expression {
    this.#issues.report(offset, message)
    return unreadable(offset)
  }

  #call(offset: number, name: string, target: Expression | undefined, args: readonly Expression[]): Expression {
    return callOrMacro(this.#macros, this.#issues, offset, name, target, args)
  }

  /** Reads a subtree at a depth increased by `levels`. */
  #below<T>(levels: number, read: () => T): T {
    this.#depth += levels
    if (this.#depth > MAX_DEPTH) throw new TooDeep()
    const found = read()
    this.#depth -= levels
    return found
  }

  #first(node: RuleNode, rule: RuleName): Expression {
    return this.read(rulesOf(node, rule)[0])
  }

  #conditional(node: RuleNode): Expression {
    const [condition, whenTrue] = rulesOf(node, 'conditionalOr')
    const [question] = tokensOf(node, '?')
    if (question === undefined) return missing
    return this.#below(1, () => {
      const parts = [this.read(condition), this.read(whenTrue), this.#first(node, 'expr')]
      return this.#call(question.start, '_?_:_', undefined, parts)
    })
  }

  /** Reads a chain of one operator. Its nesting does not matter here. */
  #logical(node: RuleNode, operator: '||' | '&&', rule: RuleName): Expression {
    const terms = rulesOf(node, rule)
    let chain = this.read(terms[0])
    for (const [i, { start }] of tokensOf(node, operator).entries()) {
      const term = terms[i + 1]
      if (term === undefined) return this.#wrong(node.start, `unexpected character, wanted '${operator}'`)
      chain = this.#call(start, `_${operator}_`, undefined, [chain, this.read(term)])
    }
    return chain
  }

  #operations(node: RuleNode, operand: RuleName, right: RuleName): Expression {
    const operators = node.children.filter(isToken)
    const operands = rulesOf(node, right)
    // The first operand is in the innermost of the operations.
    let left = this.#below(operators.length, () => this.#first(node, operand))
    for (const [i, { start, kind }] of operators.entries()) {
      const operand = this.#below(operators.length - i, () => this.read(operands[i]))
      left = this.#call(start, kind === 'in' ? '@in' : `_${kind}_`, undefined, [left, operand])
    }
    return left
  }

  #unary(node: RuleNode): Expression {
    if (alternativeOf(node) === undefined) return { kind: 'literal', offset: node.start, value: '<<error>>' }
    const signs = tokensOf(node, '!', '-')
    const [sign] = signs
    const operand = this.#first(node, 'member')
    if (sign === undefined || signs.length % 2 === 0) return operand
    return this.#call(sign.start, `${sign.kind}_`, undefined, [operand])
  }

  #member(node: RuleNode): Expression {
    const members = parts(node)
    let operand = this.#below(members.length, () => this.#first(node, 'primary'))
    for (const [i, part] of members.entries()) {
      const target = operand
      operand = this.#below(members.length - i, () => this.#part(part, target))
    }
    return operand
  }

  #part(part: RuleNode, operand: Expression): Expression {
    const alternative = alternativeOf(part)
    if (alternative === 0) return this.#select(part, operand)
    return alternative === 1 ? this.#method(part, operand) : this.#index(part, operand)
  }

  #select(part: RuleNode, operand: Expression): Expression {
    const [name] = rulesOf(part, 'escapeIdent')
    const [dot] = tokensOf(part, '.')
    if (name === undefined || dot === undefined) return unreadable(part.start)
    const field = this.#fieldName(name, name.start)
    if (tokensOf(part, '?').length === 0) return { kind: 'select', offset: dot.start, operand, field, test: false }
    return this.#call(dot.start, '_?._', undefined, [operand, { kind: 'literal', offset: name.start, value: field }])
  }

  /** Returns a field name; its errors are reported at `offset`. */
  #fieldName(name: RuleNode | undefined, offset: number): string {
    const alternative = name === undefined ? undefined : alternativeOf(name)
    if (alternative === undefined) this.#issues.report(offset, 'unsupported ident kind')
    if (alternative === 1) this.#issues.report(offset, "unsupported syntax: '`'")
    const token = name?.children.find(isToken)
    return token === undefined ? '' : this.#textOf(token)
  }

  #method(part: RuleNode, target: Expression): Expression {
    const [name] = tokensOf(part, 'IDENTIFIER')
    const [open] = tokensOf(part, '(')
    if (name === undefined || open === undefined) return unreadable(part.start)
    return this.#call(open.start, this.#textOf(name), target, this.#arguments(part))
  }

  #index(part: RuleNode, operand: Expression): Expression {
    const [open] = tokensOf(part, '[')
    if (open === undefined) return unreadable(part.start)
    const name = tokensOf(part, '?').length === 0 ? '_[_]' : '_[?_]'
    return this.#call(open.start, name, undefined, [operand, this.#first(part, 'expr')])
  }

  #arguments(node: RuleNode): Expression[] {
    return rulesOf(node, 'exprList').flatMap((list) => rulesOf(list, 'expr').map((argument) => this.read(argument)))
  }

  #primary(node: RuleNode): Expression {
    switch (alternativeOf(node)) {
      case 0:
      case 1:
        return this.#named(node)
      case 3:
        return { kind: 'list', offset: node.start, elements: this.#elements(node) }
      case 4:
        return { kind: 'map', offset: node.start, entries: this.#entries(node) }
      case 5:
        return this.#struct(node)
      default:
        return this.#first(node, 'literal')
    }
  }

  #named(node: RuleNode): Expression {
    const [id] = tokensOf(node, 'IDENTIFIER')
    if (id === undefined) return unreadable(node.start)
    const text = this.#textOf(id)
    if (isReserved(text)) return this.#wrong(node.start, `reserved identifier: ${text}`)
    const name = tokensOf(node, '.').length === 0 ? text : `.${text}`
    const [open] = tokensOf(node, '(')
    if (open === undefined) return { kind: 'identifier', offset: id.start, name }
    return this.#call(open.start, name, undefined, this.#arguments(node))
  }

  #elements(node: RuleNode): Element[] {
    const items = rulesOf(node, 'listInit').flatMap((list) => rulesOf(list, 'optExpr'))
    return items.map((item) => ({ value: this.#first(item, 'expr'), optional: tokensOf(item, '?').length > 0 }))
  }

  #entries(node: RuleNode): Entry[] {
    const [list] = rulesOf(node, 'mapInitializerList')
    if (list === undefined) return []
    const [keys, values] = [rulesOf(list, 'optExpr'), rulesOf(list, 'expr')]
    const entries: Entry[] = []
    for (const [i, { start }] of tokensOf(list, ':').entries()) {
      const key = keys[i]
      if (key === undefined || values[i] === undefined) return []
      const optional = tokensOf(key, '?').length > 0
      entries.push({ offset: start, key: this.#first(key, 'expr'), value: this.read(values[i]), optional })
    }
    return entries
  }

  #struct(node: RuleNode): Expression {
    const names = tokensOf(node, 'IDENTIFIER').map((token) => this.#textOf(token))
    const [open] = tokensOf(node, '{')
    return { kind: 'struct', offset: open?.start ?? node.start, name: names.join('.'), fields: this.#fields(node) }
  }

  #fields(node: RuleNode): Field[] {
    const [list] = rulesOf(node, 'fieldInitializerList')
    if (list === undefined) return []
    const [colons, values] = [tokensOf(list, ':'), rulesOf(list, 'expr')]
    const fields: Field[] = []
    for (const [i, item] of rulesOf(list, 'optField').entries()) {
      const [colon, value] = [colons[i], values[i]]
      if (colon === undefined || value === undefined) return []
      const [name] = rulesOf(item, 'escapeIdent')
      const isGood = name !== undefined && alternativeOf(name) === 0
      const text = this.#fieldName(name, list.start)
      if (!isGood) continue
      fields.push({ offset: colon.start, name: text, value: this.read(value), optional: tokensOf(item, '?').length > 0 })
    }
    return fields
  }

  #literal(node: RuleNode): Expression {
    const tokens = node.children.filter(isToken)
    const last = tokens.at(-1)
    if (alternativeOf(node) === undefined || last === undefined) return missing
    const value = literalOf(last.kind, tokens.map((token) => this.#textOf(token)).join(''))
    return value instanceof BadLiteral ? this.#wrong(node.start, value.message) : { kind: 'literal', offset: node.start, value }
  }
}

/** The readers of literals, by kind of token. */
const LITERALS: Partial<Record<TokenKind, (text: string) => Value | BadLiteral>> = {
  NUM_INT: intLiteral,
  NUM_UINT: uintLiteral,
  NUM_FLOAT: doubleLiteral,
  STRING: stringLiteral,
  BYTES: bytesLiteral,
  true: () => true,
  false: () => false,
}

const literalOf = (kind: TokenKind, text: string): Value | BadLiteral => LITERALS[kind]?.(text) ?? null

/** Reports the errors in a recovered tree, in addition to the syntax errors. */
export function reportRecovery(text: string, tree: RuleNode, macros: Macros, issues: Issues): void {
  try {
    new DamagedReader(text, macros, issues).read(tree)
  } catch (error) {
    // The JavaScript stack may overflow before the reference's limit is reached.
    if (!(error instanceof TooDeep || error instanceof RangeError)) throw error
    issues.report(NOWHERE, 'max recursion depth exceeded')
  }
}

/** The syntax tree of an expression. Each node has its offset in the text and, once checked, its type and references. */
import type { Overload } from './declarations.ts'
import type { CelType } from './types.ts'
import type { Value } from './value.ts'

interface Node {
  readonly offset: number
  /** Set by the checker. */
  type?: CelType
}

export interface Literal extends Node {
  readonly kind: 'literal'
  readonly value: Value
}

/** A name. The checker sets `constant` if it is the name of a type. */
export interface Identifier extends Node {
  readonly kind: 'identifier'
  readonly name: string
  constant?: Value
}

/**
 * `operand.field`, or a test for presence (`has`). The checker sets `reference` if the whole is the dotted name of a variable or
 * type.
 */
export interface Select extends Node {
  readonly kind: 'select'
  readonly operand: Expression
  readonly field: string
  readonly test: boolean
  reference?: Identifier
}

/** A call of a global function or of a method. Operators are functions such as `_+_`. */
export interface Call extends Node {
  readonly kind: 'call'
  name: string
  /** Cleared by the checker if it is the first part of the function's name (`sets.contains`). */
  target: Expression | undefined
  readonly arguments: readonly Expression[]
  /** Set by the checker: the overloads that accept these arguments. */
  overloads?: readonly Overload[]
}

/** An element of a list. An optional element is left out if it has no value. */
export interface Element {
  readonly value: Expression
  readonly optional: boolean
}

export interface ListLiteral extends Node {
  readonly kind: 'list'
  readonly elements: readonly Element[]
}

export interface Entry {
  readonly offset: number
  readonly key: Expression
  readonly value: Expression
  readonly optional: boolean
}

export interface MapLiteral extends Node {
  readonly kind: 'map'
  readonly entries: readonly Entry[]
}

export interface Field {
  readonly offset: number
  readonly name: string
  readonly value: Expression
  readonly optional: boolean
}

/** An object of a declared type: `Object{spec: …}`. */
export interface StructLiteral extends Node {
  readonly kind: 'struct'
  name: string
  readonly fields: readonly Field[]
}

/** A fold: the expansion of a macro over a list or map. */
export interface Comprehension extends Node {
  readonly kind: 'comprehension'
  readonly range: Expression
  readonly variable: string
  /** The second variable: the element or value; the first one then is the index or key. */
  readonly variable2: string | undefined
  readonly accumulator: string
  readonly initial: Expression
  readonly condition: Expression
  readonly step: Expression
  readonly result: Expression
}

/** A placeholder for text that could not be parsed; its error has been reported. */
export interface Unreadable extends Node {
  readonly kind: 'unreadable'
}

export type Expression =
  | Literal
  | Identifier
  | Select
  | Call
  | ListLiteral
  | MapLiteral
  | StructLiteral
  | Comprehension
  | Unreadable

/** Whether a comprehension only binds a name: its range is empty and its condition false. */
export function isBinding(node: Comprehension): boolean {
  const { range, condition } = node
  return range.kind === 'list' && range.elements.length === 0 && condition.kind === 'literal' && condition.value === false
}

/** Returns the dotted name that an expression spells (`a.b.c`); undefined for other expressions. */
export function qualifiedName(node: Expression): string | undefined {
  if (node.kind === 'identifier') return node.name
  if (node.kind !== 'select' || node.test) return undefined
  const operand = qualifiedName(node.operand)
  return operand === undefined ? undefined : `${operand}.${node.field}`
}

/** Returns the direct subexpressions of a node, in evaluation order. */
export function childrenOf(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case 'literal':
    case 'identifier':
    case 'unreadable':
      return []
    case 'select':
      return [node.operand]
    case 'call':
      return node.target === undefined ? node.arguments : [node.target, ...node.arguments]
    case 'list':
      return node.elements.map((element) => element.value)
    case 'map':
      return node.entries.flatMap((entry) => [entry.key, entry.value])
    case 'struct':
      return node.fields.map((field) => field.value)
    case 'comprehension':
      return [node.range, node.initial, node.condition, node.step, node.result]
  }
}

/** Returns the name without a leading dot, which excludes variables of comprehensions. */
export function plainName(name: string): string {
  return name.startsWith('.') ? name.slice(1) : name
}

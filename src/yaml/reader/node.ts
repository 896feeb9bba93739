/** A YAML document as a graph. Lines are counted from zero. */

export interface ScalarNode {
  readonly kind: 'scalar'
  readonly line: number
  /** '' where there is none. */
  readonly tag: string
  readonly text: string
  /** Whether the text tells the type: it stands without quotes, or its tag is `!`. */
  readonly implicit: boolean
}

export interface SequenceNode {
  readonly kind: 'sequence'
  readonly line: number
  readonly items: Node[]
}

export interface MappingNode {
  readonly kind: 'mapping'
  readonly line: number
  readonly entries: [key: Node, value: Node][]
}

export interface AliasNode {
  readonly kind: 'alias'
  readonly line: number
  readonly name: string
  /** May be a collection that the alias stands in. */
  readonly target: Node
}

export type Node = ScalarNode | SequenceNode | MappingNode | AliasNode

/** What is read part by part: gives how many steps of some microseconds each part took, and at last the result. */
export type Parts<T> = Generator<number, T, undefined>

/** The graph of a YAML document's nodes. Lines are counted from zero. */

export interface ScalarNode {
  readonly kind: 'scalar'
  readonly line: number
  /** '' if the node has no tag. */
  readonly tag: string
  readonly text: string
  /** Whether the type follows from the text: it has no quotes, or its tag is `!`. */
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
  /** May be a collection that contains the alias. */
  readonly target: Node
}

export type Node = ScalarNode | SequenceNode | MappingNode | AliasNode

/** Work in parts: yields the number of steps of each part, of some microseconds each, and returns the result. */
export type Parts<T> = Generator<number, T, undefined>

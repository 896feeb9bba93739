/** The tree that a recovering parser makes of an invalid text. */
import type { RuleName } from './grammar.ts'
import type { Token } from './lex.ts'

/** The alternative taken at a choice. The node is absent if the parser could not decide. */
export interface Chosen {
  readonly alternative: number
}

/** A rule with its children: matched or assumed tokens, rules, and alternatives. */
export interface RuleNode {
  readonly rule: RuleName
  /** The offset of its first token. */
  readonly start: number
  readonly children: (RuleNode | Token | Chosen)[]
}

export const isRule = (child: RuleNode | Token | Chosen): child is RuleNode => 'rule' in child

export const isToken = (child: RuleNode | Token | Chosen): child is Token => 'kind' in child

export const isChosen = (child: RuleNode | Token | Chosen): child is Chosen => 'alternative' in child

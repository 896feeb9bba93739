/** What a parser that recovers understands of a text that is no expression. */
import type { RuleName } from './grammar.ts'
import type { Token } from './lex.ts'

/** Which way a rule went at a choice; there is none where it could not be told. */
export interface Chosen {
  readonly alternative: number
}

/** A rule with what was found of it: the tokens that fitted or were assumed, rules, and ways. */
export interface RuleNode {
  readonly rule: RuleName
  /** Where its first token is. */
  readonly start: number
  readonly children: (RuleNode | Token | Chosen)[]
}

export const isRule = (child: RuleNode | Token | Chosen): child is RuleNode => 'rule' in child

export const isToken = (child: RuleNode | Token | Chosen): child is Token => 'kind' in child

export const isChosen = (child: RuleNode | Token | Chosen): child is Chosen => 'alternative' in child

/**
 * CEL's grammar as data, in the form in which cel-go's ANTLR parser follows it: syntax errors name the tokens that this grammar
 * expects.
 */
import type { TokenKind } from './lex.ts'

/** An item of a rule. `predict` names the decision procedure; without it the next token decides. */
export type Item =
  | { readonly kind: 'token'; readonly tokens: readonly TokenKind[] }
  | { readonly kind: 'rule'; readonly rule: RuleName; readonly level: number }
  | { readonly kind: 'optional'; readonly body: Items }
  | { readonly kind: 'star'; readonly body: Items; readonly predict?: Prediction }
  | { readonly kind: 'plus'; readonly body: Items; readonly predict?: Prediction }
  | { readonly kind: 'choice'; readonly alternatives: readonly Items[]; readonly predict?: Prediction }

export type Items = readonly Item[]

/** Decisions that need more than the next token, or the level of the enclosing operators. */
export type Prediction =
  | 'relation'
  | 'calculation'
  | 'operators'
  | 'unary'
  | 'minus'
  | 'member'
  | 'selection'
  | 'primary'
  | 'literal'
  | 'elements'
  | 'fields'

export type RuleName =
  | 'start'
  | 'expr'
  | 'conditionalOr'
  | 'conditionalAnd'
  | 'relation'
  | 'calc'
  | 'unary'
  | 'member'
  | 'primary'
  | 'exprList'
  | 'listInit'
  | 'fieldInitializerList'
  | 'optField'
  | 'mapInitializerList'
  | 'escapeIdent'
  | 'optExpr'
  | 'literal'

const token = (...tokens: readonly TokenKind[]): Item => ({ kind: 'token', tokens })
const rule = (name: RuleName, level = 0): Item => ({ kind: 'rule', rule: name, level })
const optional = (...body: Items): Item => ({ kind: 'optional', body })
const star = (...body: Items): Item => ({ kind: 'star', body })
const loop = (predict: Prediction, ...body: Items): Item => ({ kind: 'star', body, predict })
const choice = (predict: Prediction, ...alternatives: readonly Items[]): Item => ({ kind: 'choice', alternatives, predict })

const question = optional(token('?'))
const comma = optional(token(','))
const dot = optional(token('.'))
const call: Items = [token('('), optional(rule('exprList')), token(')')]

/** The rules. Operators of one rule have levels: those of a higher level bind tighter. */
export const RULES: Readonly<Record<RuleName, Items>> = {
  start: [rule('expr'), token('<EOF>')],
  expr: [rule('conditionalOr'), optional(token('?'), rule('conditionalOr'), token(':'), rule('expr'))],
  conditionalOr: [rule('conditionalAnd'), star(token('||'), rule('conditionalAnd'))],
  conditionalAnd: [rule('relation'), star(token('&&'), rule('relation'))],
  relation: [rule('calc'), loop('relation', token('==', '!=', 'in', '<', '<=', '>=', '>'), rule('relation', 2))],
  calc: [
    rule('unary'),
    loop('calculation', choice('operators', [token('*', '/', '%'), rule('calc', 3)], [token('-', '+'), rule('calc', 2)])),
  ],
  unary: [
    choice(
      'unary',
      [rule('member')],
      [{ kind: 'plus', body: [token('!')] }, rule('member')],
      [{ kind: 'plus', body: [token('-')], predict: 'minus' }, rule('member')],
    ),
  ],
  member: [
    rule('primary'),
    loop(
      'member',
      choice(
        'selection',
        [token('.'), question, rule('escapeIdent')],
        [token('.'), token('IDENTIFIER'), ...call],
        [token('['), question, rule('expr'), token(']')],
      ),
    ),
  ],
  primary: [
    choice(
      'primary',
      [dot, token('IDENTIFIER')],
      [dot, token('IDENTIFIER'), ...call],
      [token('('), rule('expr'), token(')')],
      [token('['), optional(rule('listInit')), comma, token(']')],
      [token('{'), optional(rule('mapInitializerList')), comma, token('}')],
      [
        dot,
        token('IDENTIFIER'),
        star(token('.'), token('IDENTIFIER')),
        token('{'),
        optional(rule('fieldInitializerList')),
        comma,
        token('}'),
      ],
      [rule('literal')],
    ),
  ],
  exprList: [rule('expr'), star(token(','), rule('expr'))],
  listInit: [rule('optExpr'), loop('elements', token(','), rule('optExpr'))],
  fieldInitializerList: [
    rule('optField'),
    token(':'),
    rule('expr'),
    loop('fields', token(','), rule('optField'), token(':'), rule('expr')),
  ],
  optField: [question, rule('escapeIdent')],
  mapInitializerList: [
    rule('optExpr'),
    token(':'),
    rule('expr'),
    loop('elements', token(','), rule('optExpr'), token(':'), rule('expr')),
  ],
  escapeIdent: [{ kind: 'choice', alternatives: [[token('IDENTIFIER')], [token('ESC_IDENTIFIER')]] }],
  optExpr: [question, rule('expr')],
  literal: [
    choice(
      'literal',
      [optional(token('-')), token('NUM_INT')],
      [token('NUM_UINT')],
      [optional(token('-')), token('NUM_FLOAT')],
      [token('STRING')],
      [token('BYTES')],
      [token('true')],
      [token('false')],
      [token('null')],
    ),
  ],
}

/** The tokens that may come next; 'end' if the items may end. */
export type Expected = ReadonlySet<TokenKind | 'end'>

const FIRST = new Map<RuleName, Expected>()

function firstOfRule(name: RuleName): Expected {
  const known = FIRST.get(name)
  if (known !== undefined) return known
  const first = firstOf(RULES[name])
  FIRST.set(name, first)
  return first
}

function firstOfItem(item: Item): Expected {
  switch (item.kind) {
    case 'token':
      return new Set(item.tokens)
    case 'rule':
      return firstOfRule(item.rule)
    case 'optional':
    case 'star':
      return new Set([...firstOf(item.body), 'end'])
    case 'plus':
      return firstOf(item.body)
    case 'choice':
      return new Set(item.alternatives.flatMap((alternative) => [...firstOf(alternative)]))
  }
}

const FIRST_OF = new WeakMap<Items, Expected>()

/** Returns the first tokens of the items; includes `end` if they may be empty. */
export function firstOf(items: Items): Expected {
  const known = FIRST_OF.get(items)
  if (known !== undefined) return known
  const first = firstOfAll(items)
  FIRST_OF.set(items, first)
  return first
}

function firstOfAll(items: Items): Expected {
  const first = new Set<TokenKind | 'end'>()
  for (const item of items) {
    const next = firstOfItem(item)
    for (const kind of next) if (kind !== 'end') first.add(kind)
    if (!next.has('end')) return first
  }
  return first.add('end')
}

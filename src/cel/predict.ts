/** The decisions of cel-go's parser that the next token alone does not determine. */
import { firstOf, type Prediction, RULES } from './grammar.ts'
import type { TokenKind } from './lex.ts'

/** The input of a decision: the tokens ahead (1 is the next one), and the level of the enclosing operators. */
export interface Ahead {
  readonly kind: (ahead: number) => TokenKind
  readonly level: number
}

/**
 * The decision: the number of an alternative (0 is the first; the number after the last one leaves a loop), or the number of
 * tokens after which no alternative was left.
 */
export type Way = { readonly alternative: number } | { readonly stuckAt: number }

const EXPRESSION = firstOf(RULES.expr)
const MEMBER = firstOf(RULES.member)
const RELATIONS: ReadonlySet<TokenKind> = new Set(['==', '!=', 'in', '<', '<=', '>=', '>'])
const PRODUCTS: ReadonlySet<TokenKind> = new Set(['*', '/', '%'])
const SUMS: ReadonlySet<TokenKind> = new Set(['-', '+'])

const way = (alternative: number): Way => ({ alternative })

/** Enters a loop or leaves it. */
const into = (enter: boolean): Way => way(enter ? 0 : 1)

const isNumber = (kind: TokenKind): boolean => kind === 'NUM_INT' || kind === 'NUM_FLOAT'

/** Decides a sign: with a number it is one literal, otherwise an operator. */
function signed(ahead: Ahead, whenNumber: number, whenOperand: number): Way {
  if (isNumber(ahead.kind(2))) return way(whenNumber)
  return ahead.kind(2) === '-' || MEMBER.has(ahead.kind(2)) ? way(whenOperand) : { stuckAt: 2 }
}

function selection(ahead: Ahead): Way {
  if (ahead.kind(1) === '[') return way(2)
  if (ahead.kind(2) === '?' || ahead.kind(2) === 'ESC_IDENTIFIER') return way(0)
  if (ahead.kind(2) !== 'IDENTIFIER') return { stuckAt: 2 }
  return way(ahead.kind(3) === '(' ? 1 : 0)
}

/** Decides a name: an identifier, a call, or an object of a type with a dotted name. */
function named(ahead: Ahead): Way {
  let at = ahead.kind(1) === '.' ? 2 : 1
  if (ahead.kind(at) !== 'IDENTIFIER') return { stuckAt: at }
  if (ahead.kind(at + 1) === '(') return way(1)
  while (ahead.kind(at + 1) === '.' && ahead.kind(at + 2) === 'IDENTIFIER') at += 2
  return way(ahead.kind(at + 1) === '{' ? 5 : 0)
}

const PRIMARY: Partial<Record<TokenKind, number>> = { '(': 2, '[': 3, '{': 4 }

function primary(ahead: Ahead): Way {
  const next = ahead.kind(1)
  const fixed = PRIMARY[next]
  if (fixed !== undefined) return way(fixed)
  return next === '.' || next === 'IDENTIFIER' ? named(ahead) : way(6)
}

const LITERALS: readonly TokenKind[] = ['NUM_INT', 'NUM_UINT', 'NUM_FLOAT', 'STRING', 'BYTES', 'true', 'false', 'null']

function literal(ahead: Ahead): Way {
  const minus = ahead.kind(1) === '-'
  const kind = ahead.kind(minus ? 2 : 1)
  const alternative = LITERALS.indexOf(kind)
  return alternative < 0 || (minus && !isNumber(kind)) ? { stuckAt: minus ? 2 : 1 } : way(alternative)
}

const WAYS: Readonly<Record<Prediction, (ahead: Ahead) => Way>> = {
  relation: ({ kind, level }) => into(RELATIONS.has(kind(1)) && level <= 1),
  calculation: ({ kind, level }) => into((PRODUCTS.has(kind(1)) && level <= 2) || (SUMS.has(kind(1)) && level <= 1)),
  operators: ({ kind }) => way(PRODUCTS.has(kind(1)) ? 0 : 1),
  unary: (ahead) => {
    if (ahead.kind(1) === '!') return way(1)
    return ahead.kind(1) === '-' ? signed(ahead, 0, 2) : way(0)
  },
  minus: (ahead) => (ahead.kind(1) === '-' ? signed(ahead, 0, 0) : way(1)),
  member: ({ kind }) => into(kind(1) === '.' || kind(1) === '['),
  selection,
  primary,
  literal,
  elements: ({ kind }) => into(kind(1) === ',' && (kind(2) === '?' || EXPRESSION.has(kind(2)))),
  fields: ({ kind }) => into(kind(1) === ',' && ['?', 'IDENTIFIER', 'ESC_IDENTIFIER'].includes(kind(2))),
}

/** Makes a decision. */
export function predict(prediction: Prediction, ahead: Ahead): Way {
  return WAYS[prediction](ahead)
}

/** The positions of a parser within the rules of the grammar: the items that may still follow. */
import { type Expected, firstOf, type Item, type Items } from './grammar.ts'
import type { TokenKind } from './lex.ts'

/** The remaining items of a rule: the rest of each active item list, innermost first. */
export type Rest = readonly Items[]

/** Returns the tokens with which the remaining items may begin, and `end` if there need not be any. */
export function firstOfRest(rest: Rest): Expected {
  const [innermost] = rest
  if (innermost !== undefined && !firstOf(innermost).has('end')) return firstOf(innermost)
  const first = new Set<TokenKind | 'end'>()
  for (const items of rest) {
    const next = firstOf(items)
    for (const kind of next) if (kind !== 'end') first.add(kind)
    if (!next.has('end')) return first
  }
  return first.add('end')
}

const LOOPS = new WeakMap<Item, Items>()

/** Returns the items after an iteration of a loop: zero or more further iterations. */
export function again(item: Extract<Item, { kind: 'star' | 'plus' }>): Items {
  const known = LOOPS.get(item) ?? [{ ...item, kind: 'star' }]
  LOOPS.set(item, known)
  return known
}

const RESTS = new WeakMap<Items, Map<number, Items>>()

/** Returns the items from an index on; the same array each time, so that positions can be compared by identity. */
export function restOf(items: Items, from: number): Items {
  if (from === 0) return items
  const known = RESTS.get(items) ?? new Map<number, Items>()
  RESTS.set(items, known)
  const rest = known.get(from) ?? items.slice(from)
  known.set(from, rest)
  return rest
}

/**
 * Tells whether a backtracking search is linear. It is not if a repeated text can be divided between two loops in many ways and the
 * search can fail behind it (infinite ambiguity: Weber and Seidl, "On the degree of ambiguity of finite automata", 1991). The
 * search for the place of a match counts as a loop.
 */
import { type Automaton, automataOf } from './automaton.ts'

/** The next positions of a position, with the number of ways to each (2 for many). */
type Ways = ReadonlyMap<number, number>

interface Analysis {
  readonly automaton: Automaton
  readonly next: readonly Ways[]
  /** Whether the search succeeds, with whatever follows, once it has passed a position. */
  readonly isSafe: readonly boolean[]
  /** The number of the strongly connected component of each position; undefined for a position on no loop. */
  readonly loopOf: readonly (number | undefined)[]
}

function waysFrom({ edges, positionAt, start }: Automaton, node: number): Ways {
  const ways = new Map<number, number>()
  const path = new Set<number>()
  const walk = (at: number): void => {
    if (path.has(at)) return
    const position = positionAt.get(at)
    if (position !== undefined) ways.set(position, Math.min(2, (ways.get(position) ?? 0) + 1))
    path.add(at)
    for (const { to, passage } of edges[at] ?? []) if (passage !== 'end' && (passage !== 'start' || node === start)) walk(to)
    path.delete(at)
  }
  walk(node)
  return ways
}

/** Returns the nodes that the search reaches for sure, with or without the end of the text. */
function surely({ edges }: Automaton, node: number, atEnd: boolean): Set<number> {
  const nodes = new Set([node])
  for (const at of nodes) {
    for (const { to, passage } of edges[at] ?? []) if (passage === 'sure' || (atEnd && passage === 'end')) nodes.add(to)
  }
  return nodes
}

function safetyOf(automaton: Automaton): boolean[] {
  const { positions, positionAt, final } = automaton
  /** Whether a loop takes every character up to the end of the text, where the expression ends. */
  const takesAll = positions.map(({ accepts, after }, position) => {
    const loops = [...surely(automaton, after, false)].some((node) => positionAt.get(node) === position)
    return loops && accepts.every(Boolean) && surely(automaton, after, true).has(final)
  })
  return positions.map(({ after }) =>
    [...surely(automaton, after, false)].some((node) => node === final || takesAll[positionAt.get(node) ?? -1]),
  )
}

function reachable(next: readonly Ways[], from: number): Set<number> {
  const positions = new Set(next[from]?.keys())
  for (const position of positions) for (const other of next[position]?.keys() ?? []) positions.add(other)
  return positions
}

function analyse(automaton: Automaton): Analysis {
  const next = automaton.positions.map(({ after }) => waysFrom(automaton, after))
  const isSafe = safetyOf(automaton)
  const from = automaton.positions.map((_position, i) => reachable(next, i))
  const loopOf = from.map((positions, i) =>
    positions.has(i) ? from.findIndex((others, j) => positions.has(j) && others.has(i) && others.has(j)) : undefined,
  )
  return { automaton, next, isSafe, loopOf }
}

const accepts = ({ automaton }: Analysis, position: number, character: number): boolean =>
  automaton.positions[position]?.accepts[character] ?? false

/** The characters that stand for all that the expression treats alike. */
function charactersOf({ positions }: Automaton): number[] {
  const count = positions[0]?.accepts.length ?? 0
  const seen = new Set<string>()
  return Array.from({ length: count }, (_none, i) => i).filter((i) => {
    const key = positions.map((position) => (position.accepts[i] ? '1' : '0')).join('')
    return !seen.has(key) && seen.add(key)
  })
}

/** Whether some text leads from `p` to `p`, from `p` to `q` and from `q` to `q`. */
function areConfused(analysis: Analysis, p: number, q: number, characters: readonly number[]): boolean {
  const { next, isSafe, loopOf, automaton } = analysis
  const size = automaton.positions.length
  const keyOf = (a: number, b: number, c: number): number => (a * size + b) * size + c
  const goal = keyOf(p, q, q)
  const seen = new Set<number>()
  const pending: (readonly [number, number, number])[] = [[p, p, q]]
  const steps = (from: number, character: number, isAllowed: (to: number) => boolean): number[] =>
    [...(next[from]?.keys() ?? [])].filter((to) => isAllowed(to) && accepts(analysis, to, character))
  for (let triple = pending.pop(); triple !== undefined; triple = pending.pop()) {
    const [a, b, c] = triple
    for (const character of characters) {
      const cs = steps(c, character, (to) => loopOf[to] === loopOf[q] && !isSafe[to])
      if (cs.length === 0) continue
      const as = steps(a, character, (to) => loopOf[to] === loopOf[p])
      if (as.length === 0) continue
      for (const b2 of steps(b, character, () => true)) {
        for (const a2 of as) {
          for (const c2 of cs) {
            const key = keyOf(a2, b2, c2)
            if (key === goal) return true
            if (seen.has(key)) continue
            seen.add(key)
            pending.push([a2, b2, c2])
          }
        }
      }
    }
  }
  return false
}

function problemIn(automaton: Automaton): string | undefined {
  const analysis = analyse(automaton)
  const { next, isSafe, loopOf } = analysis
  const { positions } = automaton
  const first = waysFrom(automaton, automaton.start)
  const rawOf = (position: number): string => positions[position]?.raw ?? ''
  const used = new Set(first.keys())
  for (const position of used) for (const other of next[position]?.keys() ?? []) used.add(other)
  const loops = [...used].filter((position) => loopOf[position] !== undefined)
  for (const p of loops) {
    for (const [to, ways] of next[p] ?? []) {
      if (ways > 1 && loopOf[to] === loopOf[p] && !isSafe[to]) return `exponential: there are several ways to repeat ${rawOf(to)}`
    }
  }
  const characters = charactersOf(automaton)
  const pairs = loops.flatMap((p) => loops.filter((q) => p !== q && !isSafe[q]).map((q) => [p, q] as const))
  const confused = (isSame: boolean) =>
    pairs.find(([p, q]) => (loopOf[p] === loopOf[q]) === isSame && areConfused(analysis, p, q, characters))
  const worst = confused(true)
  const [p, q] = worst ?? confused(false) ?? []
  if (p === undefined || q === undefined) return undefined
  return `${worst === undefined ? 'quadratic' : 'exponential'}: ${rawOf(p)} and ${rawOf(q)} can share a text in many ways`
}

/** Returns why a search for an expression is not linear in the text; undefined if it is. */
export function superlinear(source: string, flags: string): string | undefined {
  for (const automaton of automataOf(source, flags)) {
    const problem = problemIn(automaton)
    if (problem !== undefined) return problem
  }
  return undefined
}

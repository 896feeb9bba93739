/** Unified diffs as in kube-apiserver's messages, with the line matching of difflib. */
import { isRawNumber } from './json.ts'
import { indentedJson } from './json-sorted.ts'

/** The maximum of lines. Longer texts are not compared: their diff would not be read, and a hostile text would take long. */
export const mostLines = 5000
const context = 3
/** The number of lines from which on very frequent lines are not used as anchors. */
const popularFrom = 200

interface Match {
  readonly a: number
  readonly b: number
  readonly size: number
}

/** Returns the indexes of each line in `b`, without very frequent lines. */
function placesOf(b: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (const [index, line] of b.entries()) {
    const at = places.get(line)
    if (at === undefined) places.set(line, [index])
    else at.push(index)
  }
  if (b.length < popularFrom) return places
  const most = Math.floor(b.length / 100) + 1
  for (const [line, at] of places) if (at.length > most) places.delete(line)
  return places
}

type Range = readonly [lowA: number, highA: number, lowB: number, highB: number]

function longestMatch(a: readonly string[], b: readonly string[], places: Map<string, number[]>, range: Range): Match {
  const [lowA, highA, lowB, highB] = range
  let best: Match = { a: lowA, b: lowB, size: 0 }
  let lengths = new Map<number, number>()
  for (let i = lowA; i < highA; i++) {
    const next = new Map<number, number>()
    for (const j of places.get(a[i] ?? '') ?? []) {
      if (j < lowB) continue
      if (j >= highB) break
      const size = (lengths.get(j - 1) ?? 0) + 1
      next.set(j, size)
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size }
    }
    lengths = next
  }
  return extended(a, b, best, range)
}

/** Extends a match over equal adjacent lines that are not anchors. */
function extended(a: readonly string[], b: readonly string[], match: Match, [lowA, highA, lowB, highB]: Range): Match {
  let { a: startA, b: startB, size } = match
  while (startA > lowA && startB > lowB && a[startA - 1] === b[startB - 1]) {
    startA--
    startB--
    size++
  }
  while (startA + size < highA && startB + size < highB && a[startA + size] === b[startB + size]) size++
  return { a: startA, b: startB, size }
}

function matchesOf(a: readonly string[], b: readonly string[]): Match[] {
  const places = placesOf(b)
  const waiting: Range[] = [[0, a.length, 0, b.length]]
  const matches: Match[] = []
  for (let range = waiting.pop(); range !== undefined; range = waiting.pop()) {
    const [lowA, highA, lowB, highB] = range
    const match = longestMatch(a, b, places, range)
    if (match.size === 0) continue
    matches.push(match)
    if (lowA < match.a && lowB < match.b) waiting.push([lowA, match.a, lowB, match.b])
    const [endA, endB] = [match.a + match.size, match.b + match.size]
    if (endA < highA && endB < highB) waiting.push([endA, highA, endB, highB])
  }
  return matches.sort((left, right) => left.a - right.a)
}

/** Lines of `a` that become lines of `b`. If `isEqual`, both are the same lines. */
interface Step {
  readonly isEqual: boolean
  readonly range: Range
}

function stepsOf(a: readonly string[], b: readonly string[]): Step[] {
  const steps: Step[] = []
  let [i, j] = [0, 0]
  for (const match of [...matchesOf(a, b), { a: a.length, b: b.length, size: 0 }]) {
    if (i < match.a || j < match.b) steps.push({ isEqual: false, range: [i, match.a, j, match.b] })
    i = match.a + match.size
    j = match.b + match.size
    if (match.size === 0) continue
    const last = steps.at(-1)
    if (last?.isEqual === true) steps[steps.length - 1] = { isEqual: true, range: [last.range[0], i, last.range[2], j] }
    else steps.push({ isEqual: true, range: [match.a, i, match.b, j] })
  }
  return steps
}

/** Groups the steps into hunks, each with a few equal lines around the changes. */
function groupsOf(steps: readonly Step[]): Step[][] {
  const groups: Step[][] = []
  let group: Step[] = []
  for (const [index, step] of steps.entries()) {
    const [lowA, highA, lowB, highB] = step.range
    if (!step.isEqual) {
      group.push(step)
      continue
    }
    const isLast = index === steps.length - 1
    if (index > 0 && !isLast && highA - lowA <= 2 * context) {
      group.push(step)
      continue
    }
    if (index > 0)
      group.push({ isEqual: true, range: [lowA, Math.min(highA, lowA + context), lowB, Math.min(highB, lowB + context)] })
    if (group.some(({ isEqual }) => !isEqual)) groups.push(group)
    group = isLast
      ? []
      : [{ isEqual: true, range: [Math.max(lowA, highA - context), highA, Math.max(lowB, highB - context), highB] }]
  }
  if (group.some(({ isEqual }) => !isEqual)) groups.push(group)
  return groups
}

function rangeText(start: number, stop: number): string {
  const length = stop - start
  if (length === 1) return String(start + 1)
  return `${length === 0 ? start : start + 1},${length}`
}

/**
 * Returns the unified diff of two texts, without a header: hunks with three lines of context. Follows difflib.UnifiedDiff.
 * @returns '' if the texts are equal or too long
 * @example
 * unifiedDiff('a\nb', 'a\nc') // '@@ -1,2 +1,2 @@\n a\n-b\n+c\n'
 * unifiedDiff('a', 'a') // ''
 */
export function unifiedDiff(from: string, to: string): string {
  const a = from.split('\n').map((line) => `${line}\n`)
  const b = to.split('\n').map((line) => `${line}\n`)
  if (Math.max(a.length, b.length) > mostLines) return ''
  let text = ''
  for (const group of groupsOf(stepsOf(a, b))) {
    const [first, last] = [group[0]?.range, group.at(-1)?.range]
    if (first === undefined || last === undefined) continue
    text += `@@ -${rangeText(first[0], last[1])} +${rangeText(first[2], last[3])} @@\n`
    for (const { isEqual, range } of group) {
      const [lowA, highA, lowB, highB] = range
      if (isEqual) for (const line of a.slice(lowA, highA)) text += ` ${line}`
      else {
        for (const line of a.slice(lowA, highA)) text += `-${line}`
        for (const line of b.slice(lowB, highB)) text += `+${line}`
      }
    }
  }
  return text
}

/** Whether a value consists of more than so many values, each of which is a line of its JSON. Counts no further. */
function hasMoreValues(value: unknown, most: number): boolean {
  const waiting = [value]
  let count = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (++count + waiting.length > most) return true
    if (typeof next !== 'object' || next === null || 'toJSON' in next || isRawNumber(next)) continue
    for (const inner of Object.values(next)) if (inner !== undefined) waiting.push(inner)
  }
  return false
}

/** Returns the unified diff of two values: '' if their texts are too long, which are then not written at all. */
export function jsonDifference(from: unknown, to: unknown): string {
  if (hasMoreValues(from, mostLines) || hasMoreValues(to, mostLines)) return ''
  return unifiedDiff(indentedJson(from), indentedJson(to))
}

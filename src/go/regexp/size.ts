/** Estimates how large an expression is once its repetitions are written out, which is how it is compiled. */

/** The size of an expression that is being read: everything before its last part, and that part, which a repetition repeats. */
interface Group {
  before: number
  last: number
  /** How often the parts before, and the last part, are repeated at most: repetitions of repetitions multiply. */
  timesBefore: number
  timesLast: number
}

const newGroup = (): Group => ({ before: 1, last: 0, timesBefore: 1, timesLast: 1 })

/** Go refuses an expression that repeats a part more often. The parser finds that before it writes out anything. */
const mostTimes = 1000
const refused = 1

const escapesWithBraces: ReadonlySet<string> = new Set(['p', 'P', 'x'])

/** Returns the index after the escape at `at`. */
function afterEscape(text: string, at: number): number {
  const hasBraces = escapesWithBraces.has(text[at + 1] ?? '') && text[at + 2] === '{'
  const end = hasBraces ? text.indexOf('}', at + 3) : -1
  return end < 0 ? at + 2 : end + 1
}

/** Returns the index after the character class at `at`. */
function afterClass(text: string, at: number): number {
  let next = text[at + 1] === '^' ? at + 2 : at + 1
  if (text[next] === ']') next++
  while (next < text.length && text[next] !== ']') next = text[next] === '\\' ? afterEscape(text, next) : next + 1
  return next + 1
}

const bounds = /\{(\d{1,4})(?:(,)(\d{0,4}))?\}/y

/** Returns how many times a repetition at `at` repeats, and its length; undefined without a repetition. */
function repetitionAt(text: string, at: number): { readonly times: number; readonly length: number } | undefined {
  bounds.lastIndex = at
  const match = bounds.exec(text)
  if (match === null) return undefined
  const [all, least, , most = ''] = match
  return { times: Math.max(1, Number(least), Number(most)), length: all.length }
}

function append(group: Group, size: number, times = 1): void {
  group.before += group.last
  group.last = size
  group.timesBefore = Math.max(group.timesBefore, group.timesLast)
  group.timesLast = times
}

/**
 * Returns an upper bound, up to a small factor, of the number of instructions of an expression. Reads each character once; text
 * that is no expression has some size, too.
 */
export function sizeOfExpression(text: string): number {
  const open: Group[] = []
  let group = newGroup()
  for (let at = 0; at < text.length; ) {
    const character = text[at]
    const repetition = character === '{' ? repetitionAt(text, at) : undefined
    if (repetition !== undefined) {
      group.last *= repetition.times
      group.timesLast *= repetition.times
      at += repetition.length
      if (group.timesLast > mostTimes || repetitionAt(text, at) !== undefined) return refused
      continue
    }
    if (character === '(') {
      open.push(group)
      group = newGroup()
    } else if (character === ')') {
      const [size, times] = [group.before + group.last, Math.max(group.timesBefore, group.timesLast)]
      group = open.pop() ?? newGroup()
      append(group, size, times)
    } else if (character === '*' || character === '+' || character === '?') group.last++
    else append(group, 1)
    if (character === '\\') at = afterEscape(text, at)
    else at = character === '[' ? afterClass(text, at) : at + 1
  }
  return [group, ...open].reduce((sum, { before, last }) => sum + before + last, 0)
}

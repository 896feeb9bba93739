/** Estimates how large an expression is once its repetitions are written out, which is how it is compiled. */

/** The size of an expression that is being read: everything before its last part, and that part, which a repetition repeats. */
interface Group {
  before: number
  last: number
}

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

function append(group: Group, size: number): void {
  group.before += group.last
  group.last = size
}

/**
 * Returns an upper bound, up to a small factor, of the number of instructions of an expression. Reads each character once; text
 * that is no expression has some size, too.
 */
export function sizeOfExpression(text: string): number {
  const open: Group[] = []
  let group: Group = { before: 1, last: 0 }
  for (let at = 0; at < text.length; ) {
    const character = text[at]
    const repetition = character === '{' ? repetitionAt(text, at) : undefined
    if (repetition !== undefined) {
      group.last *= repetition.times
      at += repetition.length
      continue
    }
    if (character === '(') {
      open.push(group)
      group = { before: 1, last: 0 }
    } else if (character === ')') {
      const size = group.before + group.last
      group = open.pop() ?? { before: 0, last: 0 }
      append(group, size)
    } else if (character === '*' || character === '+' || character === '?') group.last++
    else append(group, 1)
    if (character === '\\') at = afterEscape(text, at)
    else at = character === '[' ? afterClass(text, at) : at + 1
  }
  return [group, ...open].reduce((sum, { before, last }) => sum + before + last, 0)
}

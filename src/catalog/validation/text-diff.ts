/** How a text became another one, as messages of kube-apiserver show it: a unified diff of indented JSON. */

const context = 3

/** A run of lines: both texts have them, or only one. */
interface Line {
  readonly mark: ' ' | '-' | '+'
  readonly text: string
}

/** Longer texts are not compared line by line: the table below would be too large. */
const maximumLines = 500

/** The lines of both texts in order, those that are only in the first before those that are only in the second. */
function compareLines(before: readonly string[], after: readonly string[]): Line[] {
  const isLong = before.length > maximumLines || after.length > maximumLines
  const width = isLong ? 0 : after.length + 1
  const common = new Uint16Array(isLong ? 0 : (before.length + 1) * width)
  if (!isLong) {
    for (let i = before.length - 1; i >= 0; i--) {
      for (let j = after.length - 1; j >= 0; j--) {
        const next = (i + 1) * width + j
        common[i * width + j] =
          before[i] === after[j] ? 1 + (common[next + 1] ?? 0) : Math.max(common[next] ?? 0, common[i * width + j + 1] ?? 0)
      }
    }
  }
  const lines: Line[] = []
  const added: Line[] = []
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push(...added.splice(0), { mark: ' ', text: before[i] ?? '' })
      i++
      j++
    } else if (
      j >= after.length ||
      (i < before.length && (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))
    ) {
      lines.push({ mark: '-', text: before[i++] ?? '' })
    } else added.push({ mark: '+', text: after[j++] ?? '' })
  }
  return [...lines, ...added]
}

/** Changes that are close to each other are shown together. */
function hunksOf(lines: readonly Line[]): [begin: number, end: number][] {
  const hunks: [number, number][] = []
  for (const [index, { mark }] of lines.entries()) {
    if (mark === ' ') continue
    const last = hunks.at(-1)
    if (last !== undefined && index - context <= last[1]) last[1] = Math.min(lines.length, index + context + 1)
    else hunks.push([Math.max(0, index - context), Math.min(lines.length, index + context + 1)])
  }
  return hunks
}

/** Where a run of lines stands: its first line and, unless it is one, how many they are. */
function rangeText(skipped: number, count: number): string {
  if (count === 1) return String(skipped + 1)
  return `${count === 0 ? skipped : skipped + 1},${count}`
}

/** What changed between two values that are shown as JSON. */
export function jsonDiff(before: unknown, after: unknown): string {
  const lines = compareLines(JSON.stringify(before, null, 1).split('\n'), JSON.stringify(after, null, 1).split('\n'))
  const countOf = (part: readonly Line[], other: '-' | '+'): number => part.filter(({ mark }) => mark !== other).length
  return hunksOf(lines)
    .map(([begin, end]) => {
      const head = lines.slice(0, begin)
      const shown = lines.slice(begin, end)
      const from = rangeText(countOf(head, '+'), countOf(shown, '+'))
      const to = rangeText(countOf(head, '-'), countOf(shown, '-'))
      return `@@ -${from} +${to} @@\n${shown.map(({ mark, text }) => `${mark}${text}\n`).join('')}`
    })
    .join('')
}

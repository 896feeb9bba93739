/** Finds the leftmost match that a backtracking search would find first, without backtracking: a Pike VM. */
import {
  ALT,
  ALT_MATCH,
  CAPTURE,
  type Count,
  conditionsBetween,
  EDGE,
  EMPTY_WIDTH,
  INSTRUCTION_STEPS,
  MATCH,
  NOP,
  type Program,
} from './program.ts'

/** The place of a match in a text. */
export interface Match {
  readonly start: number
  readonly end: number
}

/** The active instructions in the order of their preference, and the place at which the match of each begins. */
class Threads {
  readonly pcs: Int32Array
  readonly starts: Int32Array
  size = 0
  /** The instructions that were reached at the current position have its number here. */
  readonly #reached: Uint32Array
  #position = 0

  constructor(instructions: number) {
    this.pcs = new Int32Array(instructions)
    this.starts = new Int32Array(instructions)
    this.#reached = new Uint32Array(instructions)
  }

  clear(): void {
    this.size = 0
    this.#position++
  }

  /** Adds what is reached from an instruction without reading a character. Returns the number of instructions it looked at. */
  add({ op, out, arg }: Program, first: number, start: number, conditions: number): number {
    const pending = [first]
    let looked = 0
    for (let pc = pending.pop(); pc !== undefined; pc = pending.pop()) {
      looked++
      if (this.#reached[pc] === this.#position) continue
      this.#reached[pc] = this.#position
      const kind = op[pc]
      if (kind === ALT || kind === ALT_MATCH) pending.push(arg[pc] ?? 0, out[pc] ?? 0)
      else if (kind === NOP || kind === CAPTURE) pending.push(out[pc] ?? 0)
      else if (kind === EMPTY_WIDTH) {
        if (((arg[pc] ?? 0) & ~conditions) === 0) pending.push(out[pc] ?? 0)
      } else {
        this.pcs[this.size] = pc
        this.starts[this.size++] = start
      }
    }
    return looked
  }
}

/** Returns the character that ends at an index; EDGE at the start of the text. */
function runeBefore(text: string, at: number): number {
  if (at === 0) return EDGE
  const pair = at >= 2 ? (text.codePointAt(at - 2) ?? EDGE) : EDGE
  return pair > 0xffff ? pair : text.charCodeAt(at - 1)
}

/**
 * Returns the first match at or after an index; undefined without one.
 * @throws whatever `count` throws when too much work was done
 */
export function search(program: Program, text: string, from: number, count: Count): Match | undefined {
  let [now, next] = [new Threads(program.size), new Threads(program.size)]
  now.clear()
  let match: Match | undefined
  let before = runeBefore(text, from)
  for (let at = from; at <= text.length; ) {
    const rune = text.codePointAt(at) ?? EDGE
    const width = rune > 0xffff ? 2 : 1
    const mayBegin = match === undefined && (at === 0 || !program.isAnchored)
    if (mayBegin) count(INSTRUCTION_STEPS * now.add(program, program.start, at, conditionsBetween(before, rune)))
    if (now.size === 0 && (match !== undefined || program.isAnchored)) break
    const characterClass = program.classOf(rune, count)
    const after = rune === EDGE ? EDGE : (text.codePointAt(at + width) ?? EDGE)
    const conditions = conditionsBetween(rune, after)
    next.clear()
    let looked = now.size
    for (let i = 0; i < now.size; i++) {
      const pc = now.pcs[i] ?? 0
      const start = now.starts[i] ?? 0
      if (program.op[pc] === MATCH) {
        match = { start, end: at }
        break
      }
      if (program.consumes(pc, characterClass)) looked += next.add(program, program.out[pc] ?? 0, start, conditions)
    }
    count(1 + INSTRUCTION_STEPS * looked)
    ;[now, next] = [next, now]
    before = rune
    at += width
  }
  return match
}

/** Compiled expressions: the instructions of re2js in typed arrays, and the classes of characters that they tell apart. */
import { RE2JS } from 're2js'

/** The instructions, with the numbers that re2js gives them. */
export const ALT = 1
export const ALT_MATCH = 2
export const CAPTURE = 3
export const EMPTY_WIDTH = 4
export const MATCH = 6
export const NOP = 7
const firstRune = 8
const lastRune = 11

/** The conditions of EMPTY_WIDTH. */
const beginLine = 1
const endLine = 2
const beginText = 4
const endText = 8
const wordBoundary = 16
const noWordBoundary = 32

/** Stands for the end of the text, and for the start of it. */
export const EDGE = -1

/** One instruction of re2js. */
interface Instruction {
  readonly op: number
  readonly out: number
  readonly arg: number
  readonly runes: Int32Array
  matchRune(rune: number): boolean
}

/** Counts work, in steps of about 5 ns. It throws when too much work was done. */
export type Count = (steps: number) => void

/** The work of looking at one instruction, in steps. */
export const INSTRUCTION_STEPS = 4

const newline = 10

function isWord(rune: number): boolean {
  return (rune >= 48 && rune <= 57) || (rune >= 65 && rune <= 90) || rune === 95 || (rune >= 97 && rune <= 122)
}

/** Returns the conditions that hold between two characters. */
export function conditionsBetween(before: number, after: number): number {
  const isBoundary = isWord(before) !== isWord(after)
  return (
    (before === EDGE ? beginText : 0) |
    (before === EDGE || before === newline ? beginLine : 0) |
    (after === EDGE ? endText : 0) |
    (after === EDGE || after === newline ? endLine : 0) |
    (isBoundary ? wordBoundary : noWordBoundary)
  )
}

const asciiCharacters = 128
/** The number of cached classes of other characters. */
const mostCached = 4096

/** A compiled expression. */
export class Program {
  readonly start: number
  readonly op: Uint8Array
  readonly out: Int32Array
  readonly arg: Int32Array
  /** Whether matches begin at the start of the text only. */
  readonly isAnchored: boolean
  /** Whether an instruction looks at the characters around a position. */
  readonly hasConditions: boolean
  /** The index of an instruction's set of characters in `#sets`; -1 for other instructions. */
  readonly #setOf: Int32Array
  readonly #sets: Instruction[] = []
  /** The sets that contain the characters of a class, by class. */
  readonly #memberships: Uint8Array[] = []
  readonly #classOfMembership = new Map<string, number>()
  readonly #ascii = new Int32Array(asciiCharacters).fill(-1)
  readonly #others = new Map<number, number>()

  /** @throws RE2JSException if the text is no expression */
  constructor(text: string) {
    const { inst, start } = RE2JS.compile(text).re2().prog as { readonly inst: readonly Instruction[]; readonly start: number }
    this.start = start
    this.op = Uint8Array.from(inst, ({ op }) => op)
    this.out = Int32Array.from(inst, ({ out }) => out)
    this.arg = Int32Array.from(inst, ({ arg }) => arg)
    this.hasConditions = this.op.includes(EMPTY_WIDTH)
    this.isAnchored = this.#beginsAtStart()
    this.#setOf = this.#findSets(inst)
  }

  get size(): number {
    return this.op.length
  }

  /** Returns the class of a character: characters of one class are in the same sets. The end of the text has a class of its own. */
  classOf(rune: number, count: Count): number {
    const cached = rune >= 0 && rune < asciiCharacters ? (this.#ascii[rune] ?? -1) : (this.#others.get(rune) ?? -1)
    return cached >= 0 ? cached : this.#addToClass(rune, count)
  }

  /** Whether the instruction consumes the characters of a class. */
  consumes(pc: number, characterClass: number): boolean {
    const set = this.#setOf[pc] ?? -1
    return set >= 0 && this.#memberships[characterClass]?.[set] === 1
  }

  #beginsAtStart(): boolean {
    let pc = this.start
    while (this.op[pc] === NOP || this.op[pc] === CAPTURE) pc = this.out[pc] ?? 0
    return this.op[pc] === EMPTY_WIDTH && ((this.arg[pc] ?? 0) & beginText) !== 0
  }

  /** Gives the same number to instructions with the same characters: the copies of a repeated part. */
  #findSets(inst: readonly Instruction[]): Int32Array {
    const numbers = new Map<string, number>()
    return Int32Array.from(inst, (instruction) => {
      const { op, arg, runes } = instruction
      if (op < firstRune || op > lastRune) return -1
      const key = `${op} ${arg} ${runes.join()}`
      let number = numbers.get(key)
      if (number === undefined) {
        number = this.#sets.push(instruction) - 1
        numbers.set(key, number)
      }
      return number
    })
  }

  #addToClass(rune: number, count: Count): number {
    count(INSTRUCTION_STEPS * this.#sets.length)
    const members = Uint8Array.from(this.#sets, (set) => (rune !== EDGE && contains(set, rune) ? 1 : 0))
    const context = this.hasConditions ? `${isWord(rune)} ${rune === newline}` : ''
    const key = `${rune === EDGE} ${context} ${members.join('')}`
    let found = this.#classOfMembership.get(key)
    if (found === undefined) {
      found = this.#memberships.push(members) - 1
      this.#classOfMembership.set(key, found)
    }
    if (rune >= 0 && rune < asciiCharacters) this.#ascii[rune] = found
    else {
      if (this.#others.size >= mostCached) this.#others.clear()
      this.#others.set(rune, found)
    }
    return found
  }
}

function contains(set: Instruction, rune: number): boolean {
  if (set.op === lastRune) return rune !== newline
  return set.op === lastRune - 1 || set.matchRune(rune)
}

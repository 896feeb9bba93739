/**
 * Tells whether a text contains a match. The automaton is built while texts are read: a transition that was needed before costs
 * one look-up, a new one as much as the instructions that are active. A text that needs too many states is searched without.
 */
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
import { search } from './search.ts'

/** The instructions at one position, before the conditions there are known. */
interface State {
  readonly instructions: readonly number[]
  /** A character that stands for those before the position; EDGE at the start of the text. */
  readonly before: number
  /** The states after a character of each class. */
  readonly next: (State | undefined)[]
}

/** The state after a match. */
const matched: State = { instructions: [], before: EDGE, next: [] }

/** The instructions in all states that are kept; a state takes as much memory as some instructions more. */
const mostKept = 65_536
const stateSize = 16
/** The work of making a state, and for each of its instructions: more than following them once. */
const stateSteps = 200
const stepsOfKeptInstruction = 5 * INSTRUCTION_STEPS

/** Finds the characters after which the same conditions can hold. */
function representative(rune: number): number {
  if (rune === EDGE || rune === 10) return rune
  const code = rune | 0x20
  return (code >= 97 && code <= 122 && rune < 128) || (rune >= 48 && rune <= 57) || rune === 95 ? 97 : 32
}

/** The automaton of one expression. */
export class Automaton {
  readonly #program: Program
  readonly #states = new Map<string, State>()
  #kept = 0
  /** The instructions that the current closure has reached have its number here. */
  readonly #reached: Uint32Array
  #closure = 0

  constructor(program: Program) {
    this.#program = program
    this.#reached = new Uint32Array(program.size)
  }

  /**
   * Whether the text contains a match.
   * @throws whatever `count` throws when too much work was done
   */
  test(text: string, count: Count): boolean {
    const program = this.#program
    if (this.#kept > mostKept) this.#forget()
    let state = this.#stateOf([program.start], EDGE)
    let at = 0
    while (at <= text.length) {
      const unit = text.charCodeAt(at)
      const rune = unit < 0xd800 ? unit : (text.codePointAt(at) ?? EDGE)
      const characterClass = program.classOf(rune, count)
      let next = state.next[characterClass]
      if (next === undefined) {
        if (this.#kept > mostKept) return search(program, text, 0, count) !== undefined
        next = this.#step(state, rune, characterClass, count)
        state.next[characterClass] = next
      }
      state = next
      if (state.instructions.length === 0) break
      at += rune > 0xffff ? 2 : 1
    }
    count(at)
    return state === matched
  }

  #forget(): void {
    this.#states.clear()
    this.#kept = 0
  }

  #step(state: State, rune: number, characterClass: number, count: Count): State {
    const program = this.#program
    const reached = this.#follow(state, conditionsBetween(state.before, rune))
    count(stateSteps + stepsOfKeptInstruction * reached.length)
    const after: number[] = []
    for (const pc of reached) {
      if (program.op[pc] === MATCH) return matched
      if (program.consumes(pc, characterClass)) after.push(program.out[pc] ?? 0)
    }
    if (!program.isAnchored && rune !== EDGE) after.push(program.start)
    return this.#stateOf(after, rune)
  }

  /** Returns the instructions that are reached without reading a character. */
  #follow({ instructions }: State, conditions: number): readonly number[] {
    const { op, out, arg } = this.#program
    const closure = ++this.#closure
    const pending = [...instructions]
    const reached: number[] = []
    for (let pc = pending.pop(); pc !== undefined; pc = pending.pop()) {
      if (this.#reached[pc] === closure) continue
      this.#reached[pc] = closure
      reached.push(pc)
      const kind = op[pc]
      if (kind === ALT || kind === ALT_MATCH) pending.push(out[pc] ?? 0, arg[pc] ?? 0)
      else if (kind === NOP || kind === CAPTURE) pending.push(out[pc] ?? 0)
      else if (kind === EMPTY_WIDTH && ((arg[pc] ?? 0) & ~conditions) === 0) pending.push(out[pc] ?? 0)
    }
    return reached
  }

  #stateOf(instructions: readonly number[], rune: number): State {
    const sorted = [...new Set(instructions)].sort((a, b) => a - b)
    const before = this.#program.hasConditions ? representative(rune) : EDGE
    const key = `${before}:${sorted.join()}`
    const cached = this.#states.get(key)
    if (cached !== undefined) return cached
    this.#kept += sorted.length + stateSize
    const state = { instructions: sorted, before, next: [] }
    this.#states.set(key, state)
    return state
  }
}

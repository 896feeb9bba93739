/**
 * The keys of a JSON text in textual order: JSON.parse silently keeps the last of two equal keys, kube-apiserver reports them.
 */
import { endOfString, isRawNumber } from './json.ts'
import type { JsonValue } from './json-value.ts'

/** The maximum of strict errors that sigs.k8s.io/json keeps for one text. */
export const MAX_STRICT_ERRORS = 100

/** The callbacks of a walk over the keys of objects. `State` describes a value; undefined skips everything below it. */
export interface KeyVisitor<State> {
  /** Called at each key; returns the state of its value. `seen` tells whether this object already had the key. */
  key(state: State, key: string, seen: boolean, path: () => string): State | undefined
  /** Returns the state of a list's elements. */
  element(state: State): State | undefined
  /** Whether the walk can end before the end of the text. */
  done(): boolean
}

/** An object or array that contains the current position. */
interface Frame<State> {
  readonly state: State | undefined
  /** The keys of the object so far; undefined in an array. */
  readonly keys: Set<string> | undefined
  key: string
  index: number
  /** The state of the value at `key`, or of the elements. */
  below: State | undefined
}

function pathOf(frames: readonly Frame<unknown>[], key: string): string {
  let path = ''
  for (const frame of frames.slice(0, -1)) {
    if (frame.keys === undefined) path += `[${frame.index}]`
    else path += path === '' ? frame.key : `.${frame.key}`
  }
  return frames.length > 1 ? `${path}.${key}` : key
}

function keyAt(text: string, start: number, end: number): string {
  const literal = text.slice(start + 1, end)
  return literal.includes('\\') ? (JSON.parse(`"${literal}"`) as string) : literal
}

class KeyWalk<State> {
  private readonly visitor: KeyVisitor<State>
  private readonly frames: Frame<State>[] = []
  private frame: Frame<State> | undefined
  private keyIsNext = false
  private readonly root: State

  constructor(root: State, visitor: KeyVisitor<State>) {
    this.root = root
    this.visitor = visitor
  }

  walk(text: string): void {
    for (let i = 0; i < text.length && !this.visitor.done(); i++) {
      switch (text.charCodeAt(i)) {
        case 0x22: {
          const end = endOfString(text, i)
          if (this.keyIsNext) this.meet(text, i, end)
          i = end
          break
        }
        case 0x7b:
          this.enter(new Set())
          break
        case 0x5b:
          this.enter(undefined)
          break
        case 0x7d:
        case 0x5d:
          this.frames.pop()
          this.frame = this.frames.at(-1)
          this.keyIsNext = false
          break
        case 0x2c:
          this.next()
          break
      }
    }
  }

  private meet(text: string, start: number, end: number): void {
    const { frame } = this
    this.keyIsNext = false
    if (frame?.keys === undefined || frame.state === undefined) return
    const key = keyAt(text, start, end)
    const seen = frame.keys.has(key)
    frame.keys.add(key)
    frame.key = key
    frame.below = this.visitor.key(frame.state, key, seen, () => pathOf(this.frames, key))
  }

  private enter(keys: Set<string> | undefined): void {
    const state = this.frame === undefined ? this.root : this.frame.below
    const below = keys === undefined && state !== undefined ? this.visitor.element(state) : undefined
    this.frame = { state, keys, key: '', index: 0, below }
    this.frames.push(this.frame)
    this.keyIsNext = keys !== undefined
  }

  private next(): void {
    if (this.frame === undefined) return
    if (this.frame.keys === undefined) this.frame.index++
    else this.keyIsNext = true
  }
}

/** Walks the keys of a valid JSON text (checked by parseJson), in their order. */
export function walkKeys<State>(text: string, root: State, visitor: KeyVisitor<State>): void {
  new KeyWalk(root, visitor).walk(text)
}

/** Returns the number of keys in a JSON text. */
function keysInText(text: string): number {
  let keys = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x22) i = endOfString(text, i)
    else if (code === 0x3a) keys++
  }
  return keys
}

/** Returns the number of keys in a parsed value. */
function keysInValue(value: JsonValue): number {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return 0
  if (Array.isArray(value)) {
    let keys = 0
    for (const element of value) keys += keysInValue(element)
    return keys
  }
  const names = Object.keys(value)
  let keys = names.length
  for (const name of names) keys += keysInValue(value[name] ?? null)
  return keys
}

/**
 * Returns the paths of keys that occur more than once in their object, in textual order, each once, at most 100: `metadata.name`,
 * `spec.containers[0].image`. The text must be valid JSON (checked by parseJson). Follows the strict decoding of sigs.k8s.io/json
 * into untyped values.
 * @param parsed what the text was parsed to. A text without duplicates has as many keys, and counting them is much faster
 */
export function duplicateFields(text: string, parsed?: JsonValue): string[] {
  if (parsed !== undefined && keysInText(text) === keysInValue(parsed)) return []
  const found = new Set<string>()
  walkKeys<true>(text, true, {
    key: (_state, _key, seen, path) => {
      if (seen) found.add(path())
      return true
    },
    element: () => true,
    done: () => found.size >= MAX_STRICT_ERRORS,
  })
  return [...found]
}

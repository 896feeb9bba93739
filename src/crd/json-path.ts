/**
 * Paths to values in objects, as printer columns and selectable fields give them.
 * Follows k8s.io/client-go/util/jsonpath, as far as one path goes: fields, indexes, slices, wildcards, filters, descent.
 */
import { isObject } from '../apply/value.ts'
import type { JsonObject, JsonValue } from '../meta/json-value.ts'

type Operand = { readonly path: readonly Step[] } | { readonly value: JsonValue }

type Step =
  | { readonly is: 'field'; readonly name: string }
  | { readonly is: 'wildcard' }
  | { readonly is: 'descent' }
  | {
      readonly is: 'slice'
      readonly from: number | undefined
      readonly to: number | undefined
      readonly by: number
      readonly one: boolean
    }
  | { readonly is: 'filter'; readonly left: Operand; readonly operator: string; readonly right: Operand | undefined }
  | { readonly is: 'union'; readonly names: readonly string[] }

/** A path that has been read. */
export interface JsonPath {
  /** The values that the path leads to, in order; none where something on the way is missing. */
  readonly find: (object: JsonValue) => readonly JsonValue[]
}

/** A text that is no path. */
class JsonPathError extends Error {}

/** Longer paths than this nobody writes. */
const mostCharacters = 4096

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    if (text.length > mostCharacters) throw new JsonPathError('path too long')
    this.#text = text
  }

  steps(): Step[] {
    const steps: Step[] = []
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at]
      if (character === '.') steps.push(...this.#dot())
      else if (character === '[') steps.push(this.#bracket())
      else if (character === '$' || character === '@') this.#at++
      else if (character === ' ') this.#at++
      else steps.push(this.#field())
    }
    return steps
  }

  #dot(): Step[] {
    this.#at++
    if (this.#text[this.#at] === '.') {
      this.#at++
      return [{ is: 'descent' }]
    }
    const next = this.#text[this.#at]
    return next === undefined || next === '[' || next === '.' ? [] : [this.#field()]
  }

  #field(): Step {
    let name = ''
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at] ?? ''
      if (character === '\\') name += this.#text[++this.#at] ?? ''
      else if ('.[ '.includes(character)) break
      else if ('(){}\'"'.includes(character)) throw new JsonPathError(`unrecognized character in path: ${character}`)
      else name += character
    }
    return name === '*' ? { is: 'wildcard' } : { is: 'field', name }
  }

  /** The text up to the bracket that closes, brackets within it and in quotes left alone. */
  #inside(): string {
    const start = ++this.#at
    let quote = ''
    for (let depth = 1; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at] ?? ''
      if (quote !== '') {
        if (character === '\\') this.#at++
        else if (character === quote) quote = ''
      } else if (character === '"' || character === "'") quote = character
      else if (character === '[') depth++
      else if (character === ']' && --depth === 0) return this.#text.slice(start, this.#at++)
    }
    throw new JsonPathError('unterminated array')
  }

  #bracket(): Step {
    const inside = this.#inside().trim()
    if (inside === '*') return { is: 'wildcard' }
    const filter = /^\?\((.*)\)$/s.exec(inside)
    if (filter !== null) return filterStep((filter[1] ?? '').trim())
    if (/^(?:'[^']*'|"[^"]*")(?:\s*,\s*(?:'[^']*'|"[^"]*"))*$/.test(inside)) {
      const names = [...inside.matchAll(/'([^']*)'|"([^"]*)"/g)].map(([, single, double]) => single ?? double ?? '')
      return names.length === 1 ? { is: 'field', name: names[0] ?? '' } : { is: 'union', names }
    }
    return sliceStep(inside)
  }
}

function sliceStep(text: string): Step {
  const parts = /^(-?\d+)?(?:(:)(-?\d+)?(?::(-?\d+)?)?)?$/.exec(text)
  if (parts === null || text === '') throw new JsonPathError(`invalid array index ${text}`)
  const [, from, colon, to, by] = parts
  const number = (digits: string | undefined): number | undefined => (digits === undefined ? undefined : Number(digits))
  return { is: 'slice', from: number(from), to: number(to), by: number(by) ?? 1, one: colon === undefined }
}

function operandOf(text: string): Operand {
  if (text.startsWith('@') || text.startsWith('$')) return { path: new Reader(text).steps() }
  const quoted = /^(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")$/s.exec(text)
  if (quoted !== null) return { value: (quoted[1] ?? quoted[2] ?? '').replace(/\\(.)/gs, '$1') }
  if (text === 'true' || text === 'false') return { value: text === 'true' }
  if (/^-?\d+(\.\d+)?$/.test(text)) return { value: Number(text) }
  throw new JsonPathError(`unrecognized operand ${text}`)
}

function filterStep(text: string): Step {
  const found = /^([^=!<>]*?)\s*(==|!=|<=|>=|<|>)\s*(.*)$/s.exec(text)
  if (found === null) return { is: 'filter', left: operandOf(text), operator: 'exists', right: undefined }
  const [, left = '', operator = '', right = ''] = found
  return { is: 'filter', left: operandOf(left), operator, right: operandOf(right) }
}

/** Most values that one step may lead to: descents multiply. */
const mostValues = 10_000

const isList = (value: JsonValue): value is JsonValue[] => Array.isArray(value)

function descendants(value: JsonValue, into: JsonValue[]): JsonValue[] {
  if (into.length >= mostValues) return into
  into.push(value)
  if (isList(value)) for (const item of value) descendants(item, into)
  else if (isObject(value)) for (const key of Object.keys(value).sort()) descendants(value[key] ?? null, into)
  return into
}

function sliced(list: readonly JsonValue[], { from, to, by, one }: Extract<Step, { is: 'slice' }>): JsonValue[] {
  const place = (index: number): number => (index < 0 ? index + list.length : index)
  if (one) return list.slice(place(from ?? 0), place(from ?? 0) + 1)
  const chosen = list.slice(place(from ?? 0), to === undefined ? undefined : place(to))
  return by > 1 ? chosen.filter((_, i) => i % by === 0) : chosen
}

const comparisons: Readonly<Record<string, (left: string | number, right: string | number) => boolean>> = {
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
}

function holds(item: JsonValue, { left, operator, right }: Extract<Step, { is: 'filter' }>): boolean {
  const operandValue = (operand: Operand): JsonValue | undefined =>
    'value' in operand ? operand.value : walk(operand.path, [item])[0]
  const a = operandValue(left)
  if (operator === 'exists' || right === undefined) return a !== undefined
  const b = operandValue(right)
  if (a === undefined || b === undefined) return false
  if (operator === '==') return a === b
  if (operator === '!=') return a !== b
  const comparable = (typeof a === 'number' && typeof b === 'number') || (typeof a === 'string' && typeof b === 'string')
  return comparable && (comparisons[operator]?.(a as string | number, b as string | number) ?? false)
}

function take(step: Step, value: JsonValue): readonly JsonValue[] {
  switch (step.is) {
    case 'field':
      return isObject(value) && Object.hasOwn(value, step.name) ? [(value as JsonObject)[step.name] ?? null] : []
    case 'union':
      return step.names.flatMap((name) => take({ is: 'field', name }, value))
    case 'wildcard':
      if (isList(value)) return value
      return isObject(value)
        ? Object.keys(value)
            .sort()
            .map((key) => value[key] ?? null)
        : []
    case 'descent':
      return descendants(value, [])
    case 'slice':
      return isList(value) ? sliced(value, step) : []
    case 'filter':
      return isList(value) ? value.filter((item) => holds(item, step)) : []
  }
}

function walk(steps: readonly Step[], start: readonly JsonValue[]): readonly JsonValue[] {
  let values = start
  for (const step of steps) {
    values = values.flatMap((value) => take(step, value)).slice(0, mostValues)
    if (values.length === 0) return values
  }
  return values
}

/** The path that a text is; undefined for one that is none. */
export function jsonPathOf(text: string): JsonPath | undefined {
  try {
    const steps = new Reader(text).steps()
    return { find: (object) => walk(steps, [object]) }
  } catch (error) {
    if (error instanceof JsonPathError) return undefined
    throw error
  }
}

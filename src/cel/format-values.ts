/** Formats values for the clauses of `format`. */
import { goQuote } from '../go/text.ts'
import { countSteps } from './budget.ts'
import { type Clause, FormatProblem, wrongType } from './format.ts'
import { fixed, grouped, scientific } from './format-numbers.ts'
import { durationText, goDouble, timestampText } from './format-value.ts'
import { utf8Bytes, utf8Text } from './text.ts'
import { Double, Duration, isInt, ListValue, MapValue, Timestamp, TypeValue, typeNameOf, Uint, type Value } from './value.ts'

type Written = string | FormatProblem

const PRECISION = 6

/** The error for bytes that are not UTF-8. */
const NO_TEXT = 'could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string'

/** Returns an int or uint as a bigint. */
function wholeOf(value: Value): bigint | undefined {
  if (isInt(value)) return BigInt(value)
  return value instanceof Uint ? value.value : undefined
}

/** Formats a value for `%s`. */
function asString(value: Value): Written {
  if (typeof value === 'string') return value
  if (value === null) return 'null'
  if (typeof value === 'boolean') return String(value)
  const whole = wholeOf(value)
  if (whole !== undefined) return whole.toString()
  if (value instanceof Double) return goDouble(value.value)
  if (value instanceof Timestamp) return timestampText(value)
  if (value instanceof Duration) return durationText(value)
  if (value instanceof TypeValue) return value.name
  if (value instanceof Uint8Array) return utf8Text(value) ?? new FormatProblem(NO_TEXT)
  if (value instanceof ListValue) return listText(value)
  return value instanceof MapValue ? mapText(value) : wrongType('s', typeNameOf(value))
}

/** Formats a value within a list or map, as an expression would spell it. */
function asLiteral(value: Value): Written {
  countSteps(10)
  if (value instanceof Double) {
    const text = Number.isFinite(value.value) ? fixed(value.value, PRECISION) : goDouble(value.value)
    return Number.isFinite(value.value) ? text : goQuote(text)
  }
  if (value instanceof ListValue) return listText(value)
  if (value instanceof MapValue) return mapText(value)
  const text = asString(value)
  if (text instanceof FormatProblem) return new FormatProblem(`no formatting function for ${typeNameOf(value)}`)
  if (typeof value === 'string') return goQuote(text)
  if (value instanceof Uint8Array) return `b${goQuote(text)}`
  if (value instanceof Timestamp) return `timestamp(${goQuote(text)})`
  return value instanceof Duration ? `duration(${goQuote(text)})` : text
}

function joined(parts: readonly Written[], open: string, close: string): Written {
  const texts: string[] = []
  for (const part of parts) {
    if (part instanceof FormatProblem) return part
    texts.push(part)
  }
  return open + texts.join(', ') + close
}

function listText(list: ListValue): Written {
  return joined(list.elements.map(asLiteral), '[', ']')
}

function keyText(key: Value): Written {
  if (typeof key === 'string') return goQuote(key)
  if (typeof key === 'boolean' || wholeOf(key) !== undefined) return asString(key)
  return new FormatProblem(`no formatting function for map key of type ${typeNameOf(key)}`)
}

function mapText(map: MapValue): Written {
  const entries: { readonly key: string; readonly value: string }[] = []
  for (const key of map.keys()) {
    const [name, value] = [keyText(key), asLiteral(map.find(key) ?? null)]
    if (name instanceof FormatProblem) return name
    if (value instanceof FormatProblem) return value
    entries.push({ key: name, value })
  }
  entries.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  return joined(
    entries.map(({ key, value }) => `${key}:${value}`),
    '{',
    '}',
  )
}

/** Returns the number of a double, or of a text such as `NaN` or `Infinity`. */
function numberOf(value: Value): number | undefined {
  if (value instanceof Double) return value.value
  if (value === 'NaN') return Number.NaN
  if (value === 'Infinity') return Number.POSITIVE_INFINITY
  return value === '-Infinity' ? Number.NEGATIVE_INFINITY : undefined
}

function asHex(value: Value): string | undefined {
  const whole = wholeOf(value)
  if (whole !== undefined) return whole.toString(16)
  const bytes = typeof value === 'string' ? utf8Bytes(value) : value instanceof Uint8Array ? value : undefined
  return bytes === undefined ? undefined : Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function asBinary(value: Value): string | undefined {
  return typeof value === 'boolean' ? String(Number(value)) : wholeOf(value)?.toString(2)
}

function asNumber({ kind, precision = PRECISION }: Clause, value: Value): string | undefined {
  const number = numberOf(value)
  if (number === undefined) return undefined
  return kind === 'f' ? grouped(number, precision) : scientific(number, precision)
}

const WRITERS: Readonly<Record<Clause['kind'], (clause: Clause, value: Value) => Written | undefined>> = {
  s: (_clause, value) => asString(value),
  d: (_clause, value) => wholeOf(value)?.toString(),
  f: asNumber,
  e: asNumber,
  b: (_clause, value) => asBinary(value),
  x: (_clause, value) => asHex(value),
  X: (_clause, value) => asHex(value)?.toUpperCase(),
  o: (_clause, value) => wholeOf(value)?.toString(8),
}

/** Formats a value for a clause, or returns the error. */
export function writeClause(clause: Clause, value: Value): Written {
  return WRITERS[clause.kind](clause, value) ?? wrongType(clause.kind, typeNameOf(value))
}

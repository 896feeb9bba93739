/**
 * Quantities (`500m`, `1Gi`, `12e6`): resource.Quantity of k8s.io/apimachinery/pkg/api/resource.
 * The digits are kept as text, so that every step is linear in the length of what a client sent.
 */
import { trimSpace } from '../go/text.ts'

/** The family of a quantity's suffix, which its canonical form keeps. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent'

/** A parsed quantity: `digits` × 10^`exponent`. `text` is what was parsed, where that is already canonical. */
export interface Quantity {
  readonly negative: boolean
  /** Decimal digits without leading zeros; '' is zero. */
  readonly digits: string
  readonly exponent: number
  readonly format: QuantityFormat
  readonly text?: string
}

const WRONG_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const WRONG_NUMBER = 'unable to parse numeric part of quantity'
const WRONG_SUFFIX = "unable to parse quantity's suffix"

const NANO = -9
const MAX_INT64 = 2n ** 63n - 1n

/** Enough digits behind the point that rounding a multiple of 2^60 up to nano is exact; see `shortenedFraction`. */
const BINARY_FRACTION_DIGITS = 80

/** Sums of more digits are not computed. */
const MAX_SUM_DIGITS = 10_000

const DECIMAL_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
])
const BINARY_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
])
const DECIMAL_SUFFIX_OF: ReadonlyMap<number, string> = new Map(
  [...DECIMAL_SUFFIXES].map(([suffix, exponent]) => [exponent, suffix]),
)
const BINARY_SUFFIX_OF: ReadonlyMap<number, string> = new Map(
  [...BINARY_SUFFIXES].map(([suffix, exponent]) => [exponent, suffix]),
)

interface Suffix {
  readonly format: QuantityFormat
  readonly exponent: number
}

function interpretSuffix(suffix: string): Suffix {
  const decimal = DECIMAL_SUFFIXES.get(suffix)
  if (decimal !== undefined) return { format: 'DecimalSI', exponent: decimal }
  const binary = BINARY_SUFFIXES.get(suffix)
  if (binary !== undefined) return { format: 'BinarySI', exponent: binary }
  const scientific = /^[eE]([+-]?)0*([0-9]{1,19})$/.exec(suffix)
  if (scientific === null) throw new Error(WRONG_SUFFIX)
  const exponent = BigInt(`${scientific[1] === '-' ? '-' : ''}${scientific[2]}`)
  if (BigInt.asIntN(64, exponent) !== exponent) throw new Error(WRONG_SUFFIX)
  return { format: 'DecimalExponent', exponent: Number(BigInt.asIntN(32, exponent)) }
}

interface Split {
  readonly negative: boolean
  /** Digits before the point without leading zeros, '0' if there are none. */
  readonly whole: string
  readonly fraction: string
  readonly suffix: string
}

function splitText(text: string): Split {
  const parts = /^([+-]?)0*([0-9]*)(?:\.([0-9]*))?(.*)$/s.exec(text)
  if (parts === null) throw new Error(WRONG_FORMAT)
  const [, sign, whole = '', fraction = '', suffix = ''] = parts
  if (!/^[eEinumkKMGTP]*[-+]?[0-9]*$/.test(suffix)) throw new Error(WRONG_FORMAT)
  return { negative: sign === '-', whole: whole === '' ? '0' : whole, fraction, suffix }
}

function withoutLeadingZeros(digits: string): string {
  let start = 0
  while (start < digits.length && digits.charCodeAt(start) === 0x30) start++
  return start === 0 ? digits : digits.slice(start)
}

function trailing(digits: string, digit: number): number {
  let count = 0
  while (count < digits.length && digits.charCodeAt(digits.length - 1 - count) === digit) count++
  return count
}

function plusOne(digits: string): string {
  const nines = trailing(digits, 0x39)
  const head = digits.slice(0, digits.length - nines)
  const last = head === '' ? '1' : head.slice(0, -1) + String(Number(head.slice(-1)) + 1)
  return last + '0'.repeat(nines)
}

interface Amount {
  readonly digits: string
  readonly exponent: number
}

/** The amount with no exponent below `exponent`, rounded away from zero. */
function roundedUp(amount: Amount, exponent: number): Amount {
  if (amount.exponent >= exponent || amount.digits === '') return amount
  const drop = exponent - amount.exponent
  if (drop >= amount.digits.length) return { digits: '1', exponent }
  const kept = amount.digits.slice(0, amount.digits.length - drop)
  const exact = trailing(amount.digits, 0x30) >= drop
  return { digits: exact ? kept : plusOne(kept), exponent }
}

/** A long fraction cut, with a digit behind the cut that tells whether anything was cut off. */
function shortenedFraction(fraction: string): string {
  if (fraction.length <= BINARY_FRACTION_DIGITS) return fraction
  const rest = fraction.length - BINARY_FRACTION_DIGITS
  return fraction.slice(0, BINARY_FRACTION_DIGITS) + (trailing(fraction, 0x30) >= rest ? '0' : '1')
}

function binaryAmount(split: Split, exponent: number): Amount {
  const highest = { digits: MAX_INT64.toString(), exponent: 0 }
  if (split.whole.length > 19) return highest
  const fraction = shortenedFraction(split.fraction)
  const digits = withoutLeadingZeros((BigInt(split.whole + fraction) << BigInt(exponent)).toString())
  const amount = roundedUp({ digits, exponent: -fraction.length }, NANO)
  return compareAmounts(amount, highest) > 0 ? highest : amount
}

/** Whether upstream reads the number as an int64: such numbers may lack digits (`m` is zero), and keep canonical texts. */
function fitsInt64({ whole, fraction }: Split, { format, exponent }: Suffix): boolean {
  if (format === 'BinarySI') return fraction === '' && 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1 >= 0
  return whole.length + fraction.length <= 18 && exponent - fraction.length >= NANO
}

/** Whether upstream keeps the text itself: its cheap test for canonical texts (it keeps some that are not: `1.500`, `+5`). */
function keepsText({ whole, fraction }: Split, { format, exponent }: Suffix): boolean {
  if (format === 'BinarySI') return Number(whole) % 8 !== 0
  const shifted = whole + fraction
  return (exponent - fraction.length) % 3 === 0 && !shifted.endsWith('000') && !shifted.startsWith('0')
}

/**
 * Reads a quantity (resource.ParseQuantity): rounded up to nano; binary ones at most 2^63-1.
 * @throws Error with upstream's text
 */
export function parseQuantity(text: string): Quantity {
  if (text === '') throw new Error(WRONG_FORMAT)
  const split = splitText(text)
  const suffix = interpretSuffix(split.suffix)
  const cheap = fitsInt64(split, suffix)
  if (!cheap && !/[0-9]/.test(text.slice(0, text.length - split.suffix.length))) throw new Error(WRONG_NUMBER)
  const amount =
    suffix.format === 'BinarySI'
      ? binaryAmount(split, suffix.exponent)
      : roundedUp(
          { digits: withoutLeadingZeros(split.whole + split.fraction), exponent: suffix.exponent - split.fraction.length },
          NANO,
        )
  const kept = cheap && keepsText(split, suffix) ? { text } : {}
  if (amount.digits === '') return { negative: false, digits: '', exponent: 0, format: suffix.format }
  return { negative: split.negative, ...amount, format: suffix.format, ...kept }
}

/** A quantity that upstream keeps as an int64 and a power of ten (int64Amount); it keeps larger ones as decimals. */
export interface SmallQuantity {
  readonly value: bigint
  readonly scale: number
}

const fits = (value: bigint): boolean => value <= MAX_INT64 && value >= -MAX_INT64 - 1n

/**
 * The quantity as upstream keeps it, undefined where that is a decimal.
 * @throws Error with upstream's text, if it is no quantity
 */
export function smallQuantity(text: string): SmallQuantity | undefined {
  const { digits, exponent, negative } = parseQuantity(text)
  const split = splitText(text)
  const suffix = interpretSuffix(split.suffix)
  if (!fitsInt64(split, suffix)) return undefined
  const scale = suffix.format === 'BinarySI' ? 0 : suffix.exponent - split.fraction.length
  if (digits === '') return { value: 0n, scale }
  const size = BigInt(digits) * 10n ** BigInt(exponent - scale)
  return fits(size) ? { value: negative ? -size : size, scale } : undefined
}

/** The sum as upstream keeps it. */
export function sumOfSmall(a: SmallQuantity, b: SmallQuantity): SmallQuantity | undefined {
  if (b.value === 0n) return a
  if (a.value === 0n) return b
  const scale = Math.min(a.scale, b.scale)
  const [x, y] = [a, b].map((each) => each.value * 10n ** BigInt(each.scale - scale))
  if (x === undefined || y === undefined || !fits(x) || !fits(y)) return undefined
  return fits(x + y) ? { value: x + y, scale } : undefined
}

/** The whole number that the quantity is (Quantity.AsInt64); undefined where upstream does not see that it is one. */
export function wholeOfSmall({ value, scale }: SmallQuantity): bigint | undefined {
  if (scale < 0) return undefined
  const whole = value * 10n ** BigInt(scale)
  return fits(whole) ? whole : undefined
}

function decimalForm(amount: Amount, format: QuantityFormat): string {
  const zeros = trailing(amount.digits, 0x30)
  const exponent = amount.exponent + zeros
  const shift = ((exponent % 3) + 3) % 3
  const number = amount.digits.slice(0, amount.digits.length - zeros) + '0'.repeat(shift)
  const shown = exponent - shift
  if (format === 'DecimalExponent') return shown === 0 ? number : `${number}e${shown}`
  // Upstream drops the exponent where no suffix exists for it: 1000E reads "1".
  return number + (DECIMAL_SUFFIX_OF.get(shown) ?? '')
}

function binaryForm(amount: Amount): string | undefined {
  const whole = roundedUp(amount, 0)
  if (compareAmounts(whole, amount) !== 0 || compareAmounts(amount, { digits: '1024', exponent: 0 }) < 0) return undefined
  if (whole.digits.length + whole.exponent > MAX_SUM_DIGITS) return undefined
  let number = BigInt(whole.digits) * 10n ** BigInt(whole.exponent)
  let exponent = 0
  while (number % 1024n === 0n) {
    number /= 1024n
    exponent += 10
  }
  return number.toString() + (BINARY_SUFFIX_OF.get(exponent) ?? '')
}

/** The canonical text of a quantity (Quantity.String): no fraction, the largest suffix that loses nothing. */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text
  if (quantity.digits === '') return '0'
  const binary = quantity.format === 'BinarySI' ? binaryForm(quantity) : undefined
  // A binary quantity that would be rounded, or that is below 1Ki, is shown in decimal.
  const number = binary ?? decimalForm(quantity, quantity.format === 'BinarySI' ? 'DecimalSI' : quantity.format)
  return quantity.negative ? `-${number}` : number
}

const MEMO_TEXT_LENGTH = 24
const MEMO_SIZE = 2048
const memo = new Map<string, string>()

/**
 * The text of a quantity as kube-apiserver stores and answers it, read as its JSON decoder reads it (white space around it is allowed).
 * @throws Error with upstream's text
 */
export function canonicalQuantity(text: string): string {
  const known = memo.get(text)
  if (known !== undefined) return known
  const canonical = formatQuantity(parseQuantity(trimSpace(text)))
  if (text.length <= MEMO_TEXT_LENGTH) {
    if (memo.size >= MEMO_SIZE) memo.clear()
    memo.set(text, canonical)
  }
  return canonical
}

function compareAmounts(a: Amount, b: Amount): number {
  if (a.digits === '' || b.digits === '') return (a.digits === '' ? 0 : 1) - (b.digits === '' ? 0 : 1)
  const magnitude = a.digits.length + a.exponent - (b.digits.length + b.exponent)
  if (magnitude !== 0) return Math.sign(magnitude)
  const length = Math.max(a.digits.length, b.digits.length)
  const x = a.digits.padEnd(length, '0')
  const y = b.digits.padEnd(length, '0')
  return x < y ? -1 : x > y ? 1 : 0
}

const signOf = (quantity: Quantity): number => (quantity.digits === '' ? 0 : quantity.negative ? -1 : 1)

/**
 * -1, 0 or 1: which of two quantities is larger, whatever their suffixes.
 * @throws Error with upstream's text, if one of them is none
 */
export function compareQuantities(a: string, b: string): number {
  const x = parseQuantity(a)
  const y = parseQuantity(b)
  if (signOf(x) !== signOf(y)) return Math.sign(signOf(x) - signOf(y))
  const order = compareAmounts(x, y)
  return order === 0 ? 0 : x.negative ? -order : order
}

function sum(a: Quantity, b: Quantity): Quantity {
  if (signOf(b) === 0)
    return { negative: a.negative, digits: a.digits, exponent: a.exponent, format: a.digits === '' ? b.format : a.format }
  if (signOf(a) === 0) return { negative: b.negative, digits: b.digits, exponent: b.exponent, format: b.format }
  const exponent = Math.min(a.exponent, b.exponent)
  const tooLong = (of: Quantity): boolean => of.digits.length + of.exponent - exponent > MAX_SUM_DIGITS
  if (tooLong(a) || tooLong(b)) return compareAmounts(a, b) < 0 ? { ...b, format: a.format } : a
  const scaled = (of: Quantity): bigint => BigInt(of.digits) * 10n ** BigInt(of.exponent - exponent) * (of.negative ? -1n : 1n)
  const total = scaled(a) + scaled(b)
  const digits = total === 0n ? '' : (total < 0n ? -total : total).toString()
  return { negative: total < 0n, digits, exponent, format: a.format }
}

/**
 * The canonical sum. It has the format of `a`, or of `b` where `a` is zero (Quantity.Add).
 * Of numbers too far apart to be added within bounds, the larger one.
 * @throws Error with upstream's text, if one of them is no quantity
 */
export function addQuantities(a: string, b: string): string {
  return formatQuantity(sum(parseQuantity(a), parseQuantity(b)))
}

/** The canonical difference `a - b` (Quantity.Sub), bounded and failing as addQuantities. */
export function subtractQuantities(a: string, b: string): string {
  const y = parseQuantity(b)
  return formatQuantity(sum(parseQuantity(a), { ...y, negative: !y.negative }))
}

/**
 * The canonical text, rounded away from zero to multiples of 10^`scale` (Quantity.RoundUp; -3 is milli).
 * @throws Error with upstream's text, if it is no quantity
 */
export function roundUpQuantity(text: string, scale: number): string {
  const quantity = parseQuantity(text)
  if (quantity.exponent >= scale || quantity.digits === '') return formatQuantity(quantity)
  return formatQuantity({ negative: quantity.negative, format: quantity.format, ...roundedUp(quantity, scale) })
}

/**
 * The whole number of 10^`scale` in the quantity, rounded away from zero (Quantity.Value with 0, MilliValue with -3), capped to int64.
 * @throws Error with upstream's text, if it is no quantity
 */
export function scaledQuantityValue(text: string, scale: number): bigint {
  const quantity = parseQuantity(text)
  if (quantity.digits === '') return 0n
  const { digits, exponent } = roundedUp(quantity, scale)
  const length = digits.length + exponent - scale
  const magnitude = length > 19 ? MAX_INT64 : BigInt(digits) * 10n ** BigInt(exponent - scale)
  const capped = magnitude > MAX_INT64 ? MAX_INT64 : magnitude
  return quantity.negative ? -capped : capped
}

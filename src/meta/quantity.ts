/**
 * Quantities (`500m`, `1Gi`, `12e6`): resource.Quantity of k8s.io/apimachinery/pkg/api/resource. Digits are kept as text, so that
 * every step is linear in the length of the client's text.
 */
import { trimSpace } from '../go/text.ts'

/** The family of a quantity's suffix, which its canonical form keeps. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent'

/** A parsed quantity: `digits` × 10^`exponent`. `text` is the parsed text if upstream keeps it as canonical. */
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

/** The largest value whose thousandths fit into an int64 (MaxMilliValue). */
export const mostMilliValue = MAX_INT64 / 1000n

/** Enough fraction digits that rounding a multiple of 2^60 up to nano is exact; see `shortenedFraction`. */
const BINARY_FRACTION_DIGITS = 80

/** The maximum of digits of a sum that is computed. */
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
  /** The digits before the point without leading zeros; '0' if the text has no such digits. */
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

/** Returns the amount with an exponent of at least `exponent`, rounded away from zero. */
function roundedUp(amount: Amount, exponent: number): Amount {
  if (amount.exponent >= exponent || amount.digits === '') return amount
  const drop = exponent - amount.exponent
  if (drop >= amount.digits.length) return { digits: '1', exponent }
  const kept = amount.digits.slice(0, amount.digits.length - drop)
  const exact = trailing(amount.digits, 0x30) >= drop
  return { digits: exact ? kept : plusOne(kept), exponent }
}

/** Cuts a long fraction and appends a digit that tells whether the rest was zero. */
function shortenedFraction(fraction: string): string {
  if (fraction.length <= BINARY_FRACTION_DIGITS) return fraction
  const cutLength = fraction.length - BINARY_FRACTION_DIGITS
  return fraction.slice(0, BINARY_FRACTION_DIGITS) + (trailing(fraction, 0x30) >= cutLength ? '0' : '1')
}

function binaryAmount(split: Split, exponent: number): Amount {
  const highest = { digits: MAX_INT64.toString(), exponent: 0 }
  if (split.whole.length > 19) return highest
  const fraction = shortenedFraction(split.fraction)
  const digits = withoutLeadingZeros((BigInt(split.whole + fraction) << BigInt(exponent)).toString())
  const amount = roundedUp({ digits, exponent: -fraction.length }, NANO)
  return compareAmounts(amount, highest) > 0 ? highest : amount
}

/** Whether upstream parses the number as an int64: such numbers may have no digits (`m` is zero) and keep canonical texts. */
function fitsInt64({ whole, fraction }: Split, { format, exponent }: Suffix): boolean {
  if (format === 'BinarySI') return fraction === '' && 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1 >= 0
  return whole.length + fraction.length <= 18 && exponent - fraction.length >= NANO
}

/** Whether upstream keeps the text: its cheap test for canonical texts, which also keeps some others (`1.500`, `+5`). */
function keepsText({ whole, fraction }: Split, { format, exponent }: Suffix): boolean {
  if (format === 'BinarySI') return Number(whole) % 8 !== 0
  const shifted = whole + fraction
  return (exponent - fraction.length) % 3 === 0 && !shifted.endsWith('000') && !shifted.startsWith('0')
}

/**
 * Parses a quantity. Follows resource.ParseQuantity: rounded up to nano; binary quantities are capped at 2^63-1.
 * @param text as in an object, without white space
 * @throws Error with upstream's text if it is not a quantity
 * @example
 * formatQuantity(parseQuantity('0.5')) // '500m'
 * formatQuantity(parseQuantity('1024Mi')) // '1Gi'
 * parseQuantity('five') // throws: quantities must match the regular expression …
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

/** A quantity that upstream keeps as an int64 and a power of ten (int64Amount). Upstream keeps larger ones as inf.Dec. */
export interface SmallQuantity {
  readonly value: bigint
  readonly scale: number
}

const fits = (value: bigint): boolean => value <= MAX_INT64 && value >= -MAX_INT64 - 1n

/**
 * Returns the int64 form of a quantity; undefined if upstream keeps it as inf.Dec.
 * @throws Error with upstream's text if it is not a quantity
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

/** Returns the sum in int64 form; undefined if upstream changes to inf.Dec. */
export function sumOfSmall(a: SmallQuantity, b: SmallQuantity): SmallQuantity | undefined {
  if (b.value === 0n) return a
  if (a.value === 0n) return b
  const scale = Math.min(a.scale, b.scale)
  const [x, y] = [a, b].map((each) => each.value * 10n ** BigInt(each.scale - scale))
  if (x === undefined || y === undefined || !fits(x) || !fits(y)) return undefined
  return fits(x + y) ? { value: x + y, scale } : undefined
}

/** Returns the quantity as a whole number; undefined if upstream cannot tell that it is one. Follows Quantity.AsInt64. */
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
  const suffixExponent = exponent - shift
  if (format === 'DecimalExponent') return suffixExponent === 0 ? number : `${number}e${suffixExponent}`
  // Upstream drops an exponent that has no suffix: 1000E becomes "1".
  return number + (DECIMAL_SUFFIX_OF.get(suffixExponent) ?? '')
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

/** Returns the canonical text of a quantity: no fraction, the largest suffix that loses nothing. Follows Quantity.String. */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text
  if (quantity.digits === '') return '0'
  const binary = quantity.format === 'BinarySI' ? binaryForm(quantity) : undefined
  // A binary quantity that would be rounded, or that is below 1Ki, is formatted as decimal.
  const number = binary ?? decimalForm(quantity, quantity.format === 'BinarySI' ? 'DecimalSI' : quantity.format)
  return quantity.negative ? `-${number}` : number
}

const MEMO_TEXT_LENGTH = 24
const MEMO_SIZE = 2048
const memo = new Map<string, string>()

/**
 * Returns the text of a quantity as kube-apiserver stores and returns it. Like its JSON decoder, ignores white space around it.
 * @throws Error with upstream's text if it is not a quantity
 */
export function canonicalQuantity(text: string): string {
  const cached = memo.get(text)
  if (cached !== undefined) return cached
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
 * Compares two quantities with any suffixes. Follows Quantity.Cmp. @returns -1, 0 or 1
 * @throws Error with upstream's text if one of them is not a quantity
 */
export function compareQuantities(a: string, b: string): number {
  return a === b ? 0 : compareParsed(parseQuantity(a), parseQuantity(b))
}

/** Compares two parsed quantities. @returns -1, 0 or 1 */
export function compareParsed(x: Quantity, y: Quantity): number {
  if (signOf(x) !== signOf(y)) return Math.sign(signOf(x) - signOf(y))
  const order = compareAmounts(x, y)
  return order === 0 ? 0 : x.negative ? -order : order
}

/**
 * Returns the sum, in the format of `a`, or of `b` if `a` is zero. Unlike texts, sums of sums keep a format that their digits do not
 * show. The bounds are those of addQuantities.
 */
export function sumOfParsed(a: Quantity, b: Quantity): Quantity {
  if (signOf(b) === 0)
    return { negative: a.negative, digits: a.digits, exponent: a.exponent, format: a.digits === '' ? b.format : a.format }
  if (signOf(a) === 0) return { negative: b.negative, digits: b.digits, exponent: b.exponent, format: b.format }
  const exponent = Math.min(a.exponent, b.exponent)
  const tooLong = (quantity: Quantity): boolean => quantity.digits.length + quantity.exponent - exponent > MAX_SUM_DIGITS
  if (tooLong(a) || tooLong(b)) return compareAmounts(a, b) < 0 ? { ...b, format: a.format } : a
  const scaled = (quantity: Quantity): bigint =>
    BigInt(quantity.digits) * 10n ** BigInt(quantity.exponent - exponent) * (quantity.negative ? -1n : 1n)
  const total = scaled(a) + scaled(b)
  const digits = total === 0n ? '' : (total < 0n ? -total : total).toString()
  return { negative: total < 0n, digits, exponent, format: a.format }
}

/**
 * Returns the canonical sum, in the format of `a`, or of `b` if `a` is zero. Follows Quantity.Add. If the numbers are too far
 * apart to be added within bounds, returns the larger one.
 * @throws Error with upstream's text if one of them is not a quantity
 */
export function addQuantities(a: string, b: string): string {
  return formatQuantity(sumOfParsed(parseQuantity(a), parseQuantity(b)))
}

/** Returns the canonical difference `a - b`, with the bounds and errors of addQuantities. Follows Quantity.Sub. */
export function subtractQuantities(a: string, b: string): string {
  const y = parseQuantity(b)
  return formatQuantity(sumOfParsed(parseQuantity(a), { ...y, negative: !y.negative }))
}

/**
 * Returns the canonical text, rounded away from zero to multiples of 10^`scale` (-3 is milli). Follows Quantity.RoundUp.
 * @throws Error with upstream's text if it is not a quantity
 */
export function roundUpQuantity(text: string, scale: number): string {
  const quantity = parseQuantity(text)
  if (quantity.exponent >= scale || quantity.digits === '') return formatQuantity(quantity)
  return formatQuantity({ negative: quantity.negative, format: quantity.format, ...roundedUp(quantity, scale) })
}

/** The decimal digits that decide the low 64 bits of a number: 10^64 is a multiple of 2^64. */
const WRAPPING_DIGITS = 64

/** Returns the low 64 bits of a number as an int64. */
function wrapped({ digits, exponent }: Amount): bigint {
  if (exponent >= WRAPPING_DIGITS) return 0n
  return BigInt.asIntN(64, BigInt(digits.slice(-WRAPPING_DIGITS)) * 10n ** BigInt(exponent))
}

/** The powers of ten by which upstream multiplies an int64 in one step, without looking at the overflow. */
const WRAPPING_STEPS: ReadonlySet<number> = new Set([1, 2, 3, 6, 9])

/**
 * Returns the quantity as a number of units of 10^`scale`, rounded away from zero. Follows Quantity.Value (scale 0) and MilliValue
 * (scale -3), which do not detect an overflow of int64: the result is then the low 64 bits, or 0 for numbers that upstream keeps as
 * int64 and multiplies by 10 several times.
 * @throws Error with upstream's text if it is not a quantity
 */
export function scaledQuantityValue(text: string, scale: number): bigint {
  const quantity = parseQuantity(text)
  if (quantity.digits === '') return 0n
  const { digits, exponent } = roundedUp(quantity, scale)
  const units = { digits, exponent: exponent - scale }
  const isFitting = compareAmounts(units, { digits: MAX_INT64.toString(), exponent: 0 }) <= 0
  const small = isFitting ? undefined : smallQuantity(text)
  if (small !== undefined && !WRAPPING_STEPS.has(small.scale - scale)) return 0n
  const magnitude = wrapped(units)
  return quantity.negative ? -magnitude : magnitude
}

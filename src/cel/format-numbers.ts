/** Formats doubles, rounded from their exact values. */

interface Exact {
  readonly negative: boolean
  /** The value is mantissa × 2^exponent. */
  readonly mantissa: bigint
  readonly exponent: number
}

function exactly(value: number): Exact {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const fraction = bits & 0xf_ffff_ffff_ffffn
  const biased = Number((bits >> 52n) & 0x7ffn)
  const mantissa = biased === 0 ? fraction : fraction | (1n << 52n)
  return { negative: bits >> 63n === 1n, mantissa, exponent: Math.max(biased, 1) - 1075 }
}

/** Divides and rounds to the nearest whole number, half to even. */
function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  const twice = (dividend % divisor) * 2n
  return twice > divisor || (twice === divisor && quotient % 2n === 1n) ? quotient + 1n : quotient
}

/** Formats a finite double with this number of decimals. */
export function fixed(value: number, precision: number): string {
  const { negative, mantissa, exponent } = exactly(value)
  const scaled = mantissa * 10n ** BigInt(precision)
  const whole = exponent >= 0 ? scaled << BigInt(exponent) : roundedQuotient(scaled, 1n << BigInt(-exponent))
  const digits = whole.toString().padStart(precision + 1, '0')
  const point = digits.length - precision
  return `${negative ? '-' : ''}${digits.slice(0, point)}${precision === 0 ? '' : `.${digits.slice(point)}`}`
}

function infinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? '∞' : '-∞'
}

/** Formats a double with commas between thousands. */
export function grouped(value: number, precision: number): string {
  if (!Number.isFinite(value)) return infinite(value)
  const text = fixed(Object.is(value, -0) ? 0 : value, precision)
  const point = text.indexOf('.')
  const whole = point < 0 ? text : text.slice(0, point)
  const digits = whole.startsWith('-') ? whole.slice(1) : whole
  const first = digits.length % 3
  const groups = [digits.slice(0, first), ...(digits.slice(first).match(/.{3}/g) ?? [])].filter((group) => group !== '')
  return whole.slice(0, whole.length - digits.length) + groups.join(',') + (point < 0 ? '' : text.slice(point))
}

const SUPERSCRIPTS: Readonly<Record<string, string>> = {
  '-': '⁻',
  '0': '⁰',
  '1': '¹',
  '2': '²',
  '3': '³',
  '4': '⁴',
  '5': '⁵',
  '6': '⁶',
  '7': '⁷',
  '8': '⁸',
  '9': '⁹',
}

/** Formats a double in scientific notation, with six decimals and at least `width` characters. */
export function scientific(value: number, width: number): string {
  if (!Number.isFinite(value)) return infinite(value).padStart(width)
  const [mantissa = '', exponent = '0'] = value.toExponential(6).split('e')
  const digits = Math.abs(Number(exponent)).toString().padStart(2, '0')
  const power = [...(exponent.startsWith('-') ? `-${digits}` : digits)].map((digit) => SUPERSCRIPTS[digit] ?? '').join('')
  return `${mantissa}×10${power}`.padStart(width)
}

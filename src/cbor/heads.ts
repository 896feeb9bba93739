/** The heads of CBOR data items: major type, additional information and argument. Follows RFC 8949, section 3. */

/**
 * A body is not CBOR, or contains items that are not accepted. The message is that of kube-apiserver's decoder for the same
 * bytes.
 */
export class CborError extends Error {
  /** Whether the error concerns the outermost map, so that not even its kind is known. */
  readonly isOutermost: boolean

  constructor(message: string, isOutermost = false) {
    super(message)
    this.isOutermost = isOutermost
  }
}

/** The names of the major types in kube-apiserver's messages, by number. */
export const majorTypes = [
  'positive integer',
  'negative integer',
  'byte string',
  'UTF-8 text string',
  'array',
  'map',
  'tag',
  'primitives',
] as const

/** The numbers of the major types. */
export const major = { positive: 0, negative: 1, bytes: 2, text: 3, array: 4, map: 5, tag: 6, simple: 7 } as const

/** The head of a data item. */
export interface Head {
  /** 0 to 7. */
  readonly major: number
  /** The additional information, 0 to 31. */
  readonly information: number
  /** The argument; a bigint if a double cannot hold it exactly. 0 for indefinite lengths. */
  readonly argument: number | bigint
  readonly isIndefinite: boolean
  /** The byte position at which the content begins. */
  readonly end: number
}

/** The additional information of indefinite lengths, and of the byte that ends such an item. */
const indefinite = 31
/** The byte that ends an item of indefinite length. */
export const breakByte = 0xff

const unexpectedEnd = (): CborError => new CborError('unexpected EOF', true)

function argumentAt(view: DataView, at: number, information: number): number | bigint {
  if (information < 24) return information
  if (at + (1 << (information - 24)) > view.byteLength) throw unexpectedEnd()
  if (information === 24) return view.getUint8(at)
  if (information === 25) return view.getUint16(at)
  if (information === 26) return view.getUint32(at)
  const value = view.getBigUint64(at)
  return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value
}

/**
 * Reads the head at a byte position.
 * @throws CborError if the bytes end, or the head is invalid
 */
export function headAt(view: DataView, at: number): Head {
  if (at >= view.byteLength) throw unexpectedEnd()
  const first = view.getUint8(at)
  const type = first >> 5
  const information = first & 0x1f
  if (first === breakByte) throw new CborError('cbor: unexpected "break" code', true)
  const mayBeIndefinite = type >= major.bytes && type <= major.map
  if (information > 27 && !(information === indefinite && mayBeIndefinite))
    throw new CborError(`cbor: invalid additional information ${information} for type ${majorTypes[type]}`, true)
  const isIndefinite = information === indefinite
  const argument = isIndefinite ? 0 : argumentAt(view, at + 1, information)
  const length = information < 24 || isIndefinite ? 0 : 1 << (information - 24)
  return { major: type, information, argument, isIndefinite, end: at + 1 + length }
}

/** Reads the number of a floating-point item whose content ends at `end`. */
export function floatBefore(view: DataView, { information, end }: Head): number {
  if (information === 27) return view.getFloat64(end - 8)
  if (information === 26) return view.getFloat32(end - 4)
  return half(view.getUint16(end - 2))
}

/** Returns the value of a 16-bit float (IEEE 754 binary16). */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1024 + fraction) * 2 ** (exponent - 25)
}

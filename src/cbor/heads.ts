/** The heads of CBOR data items: major type, additional information and argument. Follows RFC 8949, section 3. */

/** A body is no CBOR, or none that is accepted. The message is the one of kube-apiserver's decoder for the same bytes. */
export class CborError extends Error {
  /** Whether the body's outermost map is what is wrong: then not even its kind is known. */
  readonly isOutermost: boolean

  constructor(message: string, isOutermost = false) {
    super(message)
    this.isOutermost = isOutermost
  }
}

/** The major types by their numbers, as kube-apiserver's messages name them. */
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

/** The number of each major type. */
export const major = { positive: 0, negative: 1, bytes: 2, text: 3, array: 4, map: 5, tag: 6, simple: 7 } as const

/** The head of a data item. */
export interface Head {
  /** 0 to 7. */
  readonly major: number
  /** The additional information, 0 to 31. */
  readonly information: number
  /** The argument; a bigint where it does not fit a double exactly. 0 for indefinite lengths. */
  readonly argument: number | bigint
  readonly isIndefinite: boolean
  /** Where the content begins, in bytes. */
  readonly end: number
}

/** Additional information of a length that is not told, and of the byte that ends such an item. */
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
 * Reads the head at a place.
 * @throws CborError where the bytes end, or hold no head
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

/** The number that a floating-point item holds whose content ends at `end`. */
export function floatBefore(view: DataView, { information, end }: Head): number {
  if (information === 27) return view.getFloat64(end - 8)
  if (information === 26) return view.getFloat32(end - 4)
  return half(view.getUint16(end - 2))
}

/** A float of 16 bits (IEEE 754 binary16). */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1024 + fraction) * 2 ** (exponent - 25)
}

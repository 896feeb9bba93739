/**
 * Checks that bytes are one well-formed CBOR data item without unsupported items. Follows RFC 8949, appendix C, and RFC 8259 for
 * numbers.
 */
import { breakByte, CborError, floatBefore, type Head, headAt, major, majorTypes } from './heads.ts'

/** The maximum depth of arrays, maps and tags, the same as for JSON. */
const mostNested = 1000

const tagsOfBigNumbers: ReadonlySet<number | bigint> = new Set([2, 3])

const notAccepted = (type: number, item: string): CborError =>
  new CborError(`cbor: data item of cbor type ${majorTypes[type]} is not accepted by protocol: ${item}`, true)

/**
 * Checks that the bytes are one complete data item.
 * @throws CborError if they are not, and for big numbers, NaN and infinity, which JSON does not have
 */
export function checkWellFormed(bytes: Uint8Array): void {
  if (bytes.byteLength === 0) throw new CborError('EOF', true)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = skip(view, 0, 0)
  const rest = view.byteLength - end
  if (rest > 0) throw new CborError(`cbor: ${rest} bytes of extraneous data starting at index ${end}`, true)
}

/**
 * Skips a data item.
 * @param depth the number of enclosing arrays, maps and tags
 * @returns the position after it
 */
function skip(view: DataView, at: number, depth: number): number {
  const head = headAt(view, at)
  if (head.major < major.bytes) return head.end
  if (head.major === major.simple) return skipSimple(view, head)
  if (head.major <= major.text) return head.isIndefinite ? skipChunks(view, head) : within(view, head.end, head.argument)
  if (depth >= mostNested) throw new CborError(`cbor: exceeded max nested level ${mostNested}`, true)
  if (head.major === major.tag) {
    if (tagsOfBigNumbers.has(head.argument)) throw notAccepted(major.tag, 'bignum')
    return skip(view, head.end, depth + 1)
  }
  return skipElements(view, head, depth + 1)
}

function within(view: DataView, at: number, length: number | bigint): number {
  const end = at + Number(length)
  if (end > view.byteLength) throw new CborError('unexpected EOF', true)
  return end
}

function skipSimple(view: DataView, head: Head): number {
  if (head.information === 24 && Number(head.argument) < 32)
    throw new CborError(`cbor: invalid simple value ${head.argument} for type primitives`, true)
  if (head.information > 24) {
    const value = floatBefore(view, head)
    if (Number.isNaN(value)) throw notAccepted(major.simple, 'floating-point NaN')
    if (!Number.isFinite(value)) throw notAccepted(major.simple, 'floating-point infinity')
  }
  return head.end
}

function skipChunks(view: DataView, { major: type, end }: Head): number {
  let at = end
  while (!isBreak(view, at)) {
    const chunk = headAt(view, at)
    const [chunkType, itemType] = [majorTypes[chunk.major], majorTypes[type]]
    if (chunk.major !== type) throw new CborError(`cbor: wrong element type ${chunkType} for indefinite-length ${itemType}`, true)
    if (chunk.isIndefinite) throw new CborError(`cbor: indefinite-length ${itemType} chunk is not definite-length`, true)
    at = within(view, chunk.end, chunk.argument)
  }
  return at + 1
}

function skipElements(view: DataView, { major: type, argument, isIndefinite, end }: Head, depth: number): number {
  let at = end
  const items = type === major.map ? BigInt(argument) * 2n : BigInt(argument)
  if (!isIndefinite) {
    for (let item = 0n; item < items; item++) at = skip(view, at, depth)
    return at
  }
  for (let item = 0; !isBreak(view, at); item++) {
    at = skip(view, at, depth)
    if (type === major.map && item % 2 === 0 && isBreak(view, at)) throw new CborError('cbor: unexpected "break" code', true)
  }
  return at + 1
}

/** Whether an item of indefinite length ends here. */
export function isBreak(view: DataView, at: number): boolean {
  if (at >= view.byteLength) throw new CborError('unexpected EOF', true)
  return view.getUint8(at) === breakByte
}

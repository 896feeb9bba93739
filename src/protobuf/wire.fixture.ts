/** Hand-written protobuf for tests. */

/** Returns a 64-bit integer; negative ones in two's complement. */
export function varint(value: number | bigint): number[] {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return [...bytes, Number(rest)]
}

/** Returns the tag before a value. */
export function tag(number: number, wireType: number): number[] {
  return varint((BigInt(number) << 3n) | BigInt(wireType))
}

/** Returns a field with an integer. */
export function integer(number: number, value: number | bigint): number[] {
  return [...tag(number, 0), ...varint(value)]
}

/** Returns a field with a text, with bytes, or with a message of fields. */
export function field(number: number, ...content: readonly (string | readonly number[])[]): number[] {
  const bytes = content.flatMap((part) => (typeof part === 'string' ? [...new TextEncoder().encode(part)] : part))
  return [...tag(number, 2), ...varint(bytes.length), ...bytes]
}

/** Returns a message of these fields. */
export function message(...fields: readonly (readonly number[])[]): Uint8Array {
  return Uint8Array.from(fields.flat())
}

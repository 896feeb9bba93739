/**
 * Encodes OpenAPI documents as protobuf. kubectl before 1.29 requests version 2 in it, and client-go's OpenAPISchema still does;
 * kubectl requests version 3 in it for validation.
 */
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { renderYaml } from '../../yaml/write.ts'
import type { FieldShape, Message } from './message.ts'

const [VARINT, FIXED64, LENGTH_DELIMITED] = [0, 1, 2]
const encoder = new TextEncoder()

/** Writes from the end to the beginning: the length of a message is known when it has to be written. */
class BackwardWriter {
  #bytes = new Uint8Array(1 << 16)
  #start = this.#bytes.length

  /** Number of bytes written. */
  get length(): number {
    return this.#bytes.length - this.#start
  }

  #reserve(length: number): void {
    if (this.#start >= length) return
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.length + length))
    larger.set(this.written(), larger.length - this.length)
    this.#start = larger.length - this.length
    this.#bytes = larger
  }

  put(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#start -= bytes.length
    this.#bytes.set(bytes, this.#start)
  }

  putVarint(value: number): void {
    if (value >= 0 && value < 0x80) {
      this.#reserve(1)
      this.#bytes[--this.#start] = value
    } else this.put(varint(value))
  }

  putTag(number: number, wireType: number): void {
    this.putVarint(number * 8 + wireType)
  }

  putText(number: number, text: string): void {
    const bytes = encoder.encode(text)
    this.put(bytes)
    this.putVarint(bytes.length)
    this.putTag(number, LENGTH_DELIMITED)
  }

  /** Writes a message. `write` writes its fields from the last to the first. */
  putMessage(number: number, write: () => void): void {
    const before = this.length
    write()
    this.putVarint(this.length - before)
    this.putTag(number, LENGTH_DELIMITED)
  }

  /** Returns the written bytes, which still belong to the writer. */
  written(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(this.#start)
  }
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(Math.trunc(value)))
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return Uint8Array.of(...bytes, Number(rest))
}

function doubleBytes(value: number): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setFloat64(0, value, true)
  return bytes
}

/** Returns the YAML of a value. The keys of an object keep their order: its entries are written one by one and joined. */
function yamlOf(value: JsonValue): string {
  if (!isObject(value) || Object.keys(value).length === 0) return renderYaml(value)
  return Object.entries(value)
    .map(([key, each]) => renderYaml({ [key]: each }))
    .join('')
}

/** Writes a message that has the YAML of any value in field 2. */
function putAny(to: BackwardWriter, number: number, value: JsonValue): void {
  to.putMessage(number, () => to.putText(2, yamlOf(value)))
}

function putNumber(to: BackwardWriter, { number, shape }: FieldShape, value: number): void {
  if (shape === 'double') to.put(doubleBytes(value))
  else to.putVarint(value)
  to.putTag(number, shape === 'double' ? FIXED64 : VARINT)
}

function putField(to: BackwardWriter, field: FieldShape, value: JsonValue): void {
  const { number, shape } = field
  if (shape === 'message') to.putMessage(number, () => putContent(to, field.message(), value))
  else if (shape === 'any') putAny(to, number, value)
  else if (typeof value === 'number') putNumber(to, field, value)
  else if (typeof value === 'string') to.putText(number, value)
  else if (typeof value === 'boolean') {
    to.putVarint(value ? 1 : 0)
    to.putTag(number, VARINT)
  }
}

const isZero = (value: JsonValue): boolean => value === '' || value === 0 || value === false

/** Writes the values of a field. A field with its zero value is omitted, as in proto3. */
function putValues(to: BackwardWriter, field: FieldShape, value: JsonValue): void {
  if (field.repeated && Array.isArray(value)) for (const each of value.toReversed()) putField(to, field, each)
  else if (field.shape === 'message' || field.shape === 'any' || !isZero(value)) putField(to, field, value)
}

function putNamed(to: BackwardWriter, number: number, name: string, write: () => void): void {
  to.putMessage(number, () => {
    write()
    to.putText(1, name)
  })
}

function putFields(to: BackwardWriter, { fields, extensions }: Extract<Message, { fields: object }>, value: JsonObject): void {
  if (extensions !== undefined) {
    const extra = Object.entries(value).filter(([key]) => key.startsWith('x-'))
    for (const [key, found] of extra.reverse()) putNamed(to, extensions, key, () => putAny(to, 2, found))
  }
  for (const [key, field] of Object.entries(fields).reverse()) {
    const found = value[key]
    if (found !== undefined) putValues(to, field, found)
  }
}

function putEntries(to: BackwardWriter, number: number, of: Message, value: JsonObject): void {
  for (const [name, each] of Object.entries(value).reverse()) {
    putNamed(to, number, name, () => to.putMessage(2, () => putContent(to, of, each)))
  }
}

function putContent(to: BackwardWriter, message: Message, value: JsonValue): void {
  if ('wraps' in message) putValues(to, message.wraps, value)
  else if ('oneOf' in message) {
    const field = message.oneOf(value)
    if (field !== undefined) putField(to, field, value)
  } else if (!isObject(value)) return
  else if ('fields' in message) putFields(to, message, value)
  else putEntries(to, message.entries, message.of(), value)
}

/** Encodes an OpenAPI document as protobuf. @param message the root message of version 2 or 3 */
export function encodeDocument(value: JsonObject, message: Message): Uint8Array<ArrayBuffer> {
  const writer = new BackwardWriter()
  putContent(writer, message, value)
  return writer.written().slice()
}

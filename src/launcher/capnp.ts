/** Writes messages of Cap'n Proto (capnproto.org/encoding.html). */

/** The place of a field: the number of its pointer, or of its bit. A field of a union has the place of the union's tag and its value. */
export type Field = (
  | { readonly text: number }
  | { readonly texts: number }
  | { readonly bit: number }
  | { readonly struct: number; readonly shape: Shape }
  | { readonly list: number; readonly shape: Shape }
) & { readonly tag?: readonly [place: number, value: number] }

/** A struct: the words of its data, the number of its pointers, and its fields by name. */
export interface Shape {
  readonly words: number
  readonly pointers: number
  readonly fields: Readonly<Record<string, Field>>
}

/** A text; bytes are UTF-8 already. */
export type Text = string | Uint8Array

/** A list of structs in a segment of its own, which goes from one message to the next as it is. */
export class ListSegment {
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

/** A struct's fields by name. Fields that are absent have the default of the schema. */
export interface Struct {
  readonly [field: string]: Text | readonly string[] | boolean | Struct | readonly Struct[] | ListSegment
}

const word = 8
/** The sizes of elements in the pointer of a list: bytes, pointers, structs behind a tag. */
const ofBytes = 2
const ofPointers = 6
const ofStructs = 7
/** In bytes; a message grows if that is too little. */
const usualSize = 1 << 15

/**
 * Gives the message with a root, in parts. At most one of its lists may be a segment of its own.
 * @throws Error for a field that the shape does not have
 */
export function capnpMessage(shape: Shape, root: Struct): Uint8Array[] {
  const message = new Message(usualSize)
  message.writeStruct(message.allocate(1), shape, root)
  const segments = [message.bytes, ...message.others]
  const table = Buffer.alloc(segments.length === 1 ? word : 2 * word)
  table.writeUInt32LE(segments.length - 1)
  for (const [index, { length }] of segments.entries()) table.writeUInt32LE(length / word, 4 * (index + 1))
  return [table, ...segments]
}

/** Gives the list of a message that is a segment of its own. @throws Error if it has no such list */
export function listSegmentOf(message: Uint8Array): ListSegment {
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength)
  if (view.getUint32(0, true) !== 1) throw new Error('The message does not have two segments.')
  const start = (2 + view.getUint32(4, true)) * word
  return new ListSegment(message.subarray(start, start + view.getUint32(8, true) * word))
}

/** Writes a list to a segment. @param size about the length of its texts, in bytes */
export function listSegment(shape: Shape, values: readonly Struct[], size: number): ListSegment {
  const message = new Message(size + usualSize)
  message.writeList(message.allocate(1), shape, values)
  return new ListSegment(message.bytes)
}

class Message {
  /** Further segments. */
  readonly others: Uint8Array[] = []
  #buffer: Buffer
  /** In words. */
  #used = 0

  constructor(size: number) {
    this.#buffer = Buffer.alloc(size)
  }

  /** Reserves words; gives the number of the first. */
  allocate(words: number): number {
    const at = this.#used
    this.#used += words
    if (this.#used * word > this.#buffer.length) {
      const larger = Buffer.alloc(this.#used * word * 2)
      larger.set(this.#buffer)
      this.#buffer = larger
    }
    return at
  }

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#used * word)
  }

  writeStruct(pointer: number, shape: Shape, value: Struct): void {
    const at = this.allocate(shape.words + shape.pointers)
    this.#writePointer(pointer, at, 0, sizesOf(shape))
    this.#fill(at, shape, value)
  }

  #fill(at: number, shape: Shape, value: Struct): void {
    for (const [name, content] of Object.entries(value)) {
      const field = shape.fields[name]
      if (field === undefined) throw new Error(`There is no field ${name}.`)
      if (field.tag !== undefined) this.#buffer.writeUInt16LE(field.tag[1], at * word + field.tag[0])
      this.#writeField(at, at + shape.words, field, content)
    }
  }

  #writeField(data: number, pointers: number, field: Field, content: Struct[string]): void {
    if ('text' in field) this.#writeText(pointers + field.text, content as Text)
    else if ('texts' in field) this.#writeTexts(pointers + field.texts, content as readonly string[])
    else if ('struct' in field) this.writeStruct(pointers + field.struct, field.shape, content as Struct)
    else if (content instanceof ListSegment && 'list' in field) this.#refer(pointers + field.list, content)
    else if ('list' in field) this.writeList(pointers + field.list, field.shape, content as readonly Struct[])
    else if (content === true) {
      const byte = data * word + Math.floor(field.bit / 8)
      this.#buffer.writeUInt8(this.#buffer.readUInt8(byte) | (1 << (field.bit % 8)), byte)
    }
  }

  #writeText(pointer: number, text: Text): void {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text
    // A NUL follows.
    const at = this.allocate(Math.floor(bytes.length / word) + 1)
    this.#writePointer(pointer, at, 1, ofBytes + (bytes.length + 1) * 8)
    this.#buffer.set(bytes, at * word)
  }

  #writeTexts(pointer: number, texts: readonly string[]): void {
    const at = this.allocate(texts.length)
    this.#writePointer(pointer, at, 1, ofPointers + texts.length * 8)
    for (const [index, text] of texts.entries()) this.#writeText(at + index, text)
  }

  /** Lets a pointer refer to the beginning of another segment, where the pointer of the list is. */
  #refer(pointer: number, { bytes }: ListSegment): void {
    const other = this.others.push(bytes)
    this.#buffer.writeUInt32LE(2, pointer * word)
    this.#buffer.writeUInt32LE(other, pointer * word + 4)
  }

  writeList(pointer: number, shape: Shape, values: readonly Struct[]): void {
    const size = shape.words + shape.pointers
    const tag = this.allocate(1 + values.length * size)
    this.#writePointer(pointer, tag, 1, ofStructs + values.length * size * 8)
    this.#buffer.writeUInt32LE(values.length * 4, tag * word)
    this.#buffer.writeUInt32LE(sizesOf(shape), tag * word + 4)
    for (const [index, value] of values.entries()) this.#fill(tag + 1 + index * size, shape, value)
  }

  /** @param kind 0 for a struct, 1 for a list */
  #writePointer(pointer: number, target: number, kind: 0 | 1, sizes: number): void {
    this.#buffer.writeInt32LE((target - pointer - 1) * 4 + kind, pointer * word)
    this.#buffer.writeUInt32LE(sizes, pointer * word + 4)
  }
}

const sizesOf = ({ words, pointers }: Shape): number => words + pointers * 0x10000

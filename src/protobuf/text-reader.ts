/**
 * Finds the positions of an object's field values in a JSON text in UTF-8. The values are not parsed: the positions are recorded
 * as numbers, from which text-writer.ts writes protobuf.
 *
 * The text is one from the store: without white space, and with map keys in the order of their bytes. For any other text the
 * reader gives up, and the object is parsed as JSON.
 */
import { BOOL, type FieldPlan, INTEGER, LIST, MESSAGE, type MessagePlan, ONCE, TEXT, TIME, WRAPPED_TEXT } from './text-plan.ts'

let unexpected: Error | undefined

/** Returns the error for a text that is not in the stored form. One that is made while the module is loaded costs each start 5 ms. */
export function unexpectedText(): Error {
  unexpected ??= new Error('the text is not as it is stored')
  return unexpected
}

/** The maximum depth of messages; deeper ones are left to the general parser, which has its own bound. */
const mostNested = 100

const initialNotes = 4 * 1024
/** A larger buffer of notes is not kept for the next text. */
const keptNotes = 64 * 1024
const nothing = new Uint8Array()

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN = 0x7b
const CLOSE = 0x7d
const MINUS = 0x2d
const NULL = 0x6e
const LETTER_U = 0x75
const TRUE = 0x74
const FALSE = 0x66

/**
 * The notes of a value: its start (0 if it is absent) and its end. The end is negative if the bytes cannot be copied: for a text
 * with a backslash, and for JSON with a `\u` escape, which JSON.stringify writes differently. For a message, a list or a map, the
 * start is the index of the notes of its fields, its last element or its last entry.
 */
export const valueNotes = 2
/** The notes of a list element: the index of the previous element's notes (0 for none), and its value. */
const elementNotes = 1 + valueNotes
/** The notes of a map entry: those of an element, and the start and end of its key. */
const entryNotes = elementNotes + 2

/** Reads one text after another. The notes are those of the last text. */
export class TextReader {
  bytes: Uint8Array = nothing
  /** The position of the next byte. */
  at = 0
  notes = new Int32Array(initialNotes)
  private used = 1
  private depth = 0
  /** Whether the last text had a backslash, and whether the last skipped value had a `\u` escape. */
  private escaped = false
  private escapedByNumber = false

  /**
   * Reads the object that begins at `at`; afterwards the position is after it.
   * @returns the index of the notes of its fields, which are in the order of their positions
   * @throws unexpectedText
   */
  read(plan: MessagePlan, bytes: Uint8Array, at: number): number {
    this.bytes = bytes
    this.at = at
    this.used = 1
    this.depth = 0
    return this.message(plan)
  }

  /** Returns the position after any value. */
  skip(bytes: Uint8Array, at: number): number {
    this.bytes = bytes
    this.at = at
    this.skipValue()
    this.forget()
    return this.at
  }

  /** Releases the text, and a large buffer of notes. */
  forget(): void {
    this.bytes = nothing
    if (this.notes.length > keptNotes) this.notes = new Int32Array(initialNotes)
  }

  private reserve(count: number): number {
    const start = this.used
    this.used += count
    if (this.used > this.notes.length) {
      const grown = new Int32Array(this.used * 2)
      grown.set(this.notes)
      this.notes = grown
    }
    return start
  }

  private expect(byte: number): void {
    if (this.bytes[this.at++] !== byte) throw unexpectedText()
  }

  private message(plan: MessagePlan): number {
    if (++this.depth > mostNested) throw unexpectedText()
    const width = plan.fields.length * valueNotes
    const start = this.reserve(width)
    const { notes } = this
    for (let note = start; note < start + width; note++) notes[note] = 0
    this.expect(OPEN)
    if (this.bytes[this.at] === CLOSE) this.at++
    else this.members(plan, start)
    this.depth--
    return start
  }

  private members(plan: MessagePlan, start: number): void {
    let before: FieldPlan | undefined
    do {
      const expected = before === undefined ? plan.first : before.follower
      const field = expected !== undefined && this.skipIfNext(expected.quoted) ? expected : this.findField(plan, before)
      if (field === undefined) this.skipValue()
      else {
        this.field(field, start + field.position * valueNotes)
        before = field
      }
    } while (this.hasNext(CLOSE))
  }

  /** Skips these bytes if they are next. @returns whether they were */
  private skipIfNext(expected: Uint8Array): boolean {
    const { bytes, at } = this
    const { length } = expected
    for (let index = 1; index < length; index++) if (bytes[at + index] !== expected[index]) return false
    this.at = at + length
    return true
  }

  /** Finds the field whose name is next, and remembers which field it follows. */
  private findField(plan: MessagePlan, before: FieldPlan | undefined): FieldPlan | undefined {
    this.expect(QUOTE)
    const nameStart = this.at
    const nameEnd = this.textEnd()
    this.expect(COLON)
    const field = plan.find(this.bytes, nameStart, nameEnd, before === undefined ? 0 : before.position + 1)
    if (before === undefined) plan.first = field
    else before.follower = field
    return field
  }

  /** Whether a comma follows; otherwise the closing bracket must follow. */
  private hasNext(close: number): boolean {
    const byte = this.bytes[this.at++]
    if (byte === COMMA) return true
    if (byte === close) return false
    throw unexpectedText()
  }

  /** Skips a text after its first quote. @returns the position of its last quote */
  private textEnd(): number {
    const { bytes } = this
    let { at } = this
    let escaped = false
    for (let byte = bytes[at]; byte !== QUOTE; byte = bytes[++at]) {
      if (byte === BACKSLASH) {
        escaped = true
        if (bytes[++at] === LETTER_U) this.escapedByNumber = true
      } else if (byte === undefined) throw unexpectedText()
    }
    this.escaped = escaped
    this.at = at + 1
    return at
  }

  private field(field: FieldPlan, note: number): void {
    if (this.bytes[this.at] === NULL) {
      this.skipValue()
      this.notes[note] = 0
    } else if (field.cardinality === ONCE) this.value(field, note)
    else this.noteWithin(note, field.cardinality === LIST ? this.list(field) : this.map(field))
  }

  /** Records the index of nested notes. Called after these are made, because making them may replace the buffer. */
  private noteWithin(note: number, start: number): void {
    this.notes[note] = start
  }

  private value(field: FieldPlan, note: number): void {
    const { shape } = field
    if (shape === MESSAGE) {
      this.noteWithin(note, this.message(field.message))
      return
    }
    let start = this.at
    let end: number
    if (shape === TEXT || shape === WRAPPED_TEXT || shape === TIME) {
      this.expect(QUOTE)
      start++
      end = this.textEnd()
    } else {
      if (shape === INTEGER) this.integer()
      else if (shape === BOOL) this.bool()
      else this.skipValue()
      end = this.at
    }
    this.notes[note] = start
    this.notes[note + 1] = this.escaped ? -end : end
  }

  private bool(): void {
    const byte = this.bytes[this.at]
    if (byte !== TRUE && byte !== FALSE) throw unexpectedText()
    this.skipValue()
  }

  private integer(): void {
    const { bytes } = this
    let { at } = this
    if (bytes[at] === MINUS) at++
    for (let byte = bytes[at]; byte !== undefined && byte >= 0x30 && byte <= 0x39; byte = bytes[at]) at++
    const byte = bytes[at]
    if (byte !== COMMA && byte !== CLOSE && byte !== CLOSE_LIST) throw unexpectedText()
    this.escaped = false
    this.at = at
  }

  private list(field: FieldPlan): number {
    this.expect(OPEN_LIST)
    if (this.bytes[this.at] === CLOSE_LIST) {
      this.at++
      return 0
    }
    let last = 0
    do {
      const element = this.reserve(elementNotes)
      this.notes[element] = last
      last = element
      if (this.bytes[this.at] === NULL) throw unexpectedText()
      this.value(field, element + 1)
    } while (this.hasNext(CLOSE_LIST))
    return last
  }

  private map(field: FieldPlan): number {
    this.expect(OPEN)
    if (this.bytes[this.at] === CLOSE) {
      this.at++
      return 0
    }
    let last = 0
    do {
      const entry = this.reserve(entryNotes)
      this.expect(QUOTE)
      const start = this.at
      const end = this.textEnd()
      if (this.escaped || (last !== 0 && !this.isSortedAfter(last, start, end))) throw unexpectedText()
      this.expect(COLON)
      this.notes[entry] = last
      this.notes[entry + elementNotes] = start
      this.notes[entry + elementNotes + 1] = end
      last = entry
      if (this.bytes[this.at] === NULL) throw unexpectedText()
      this.value(field, entry + 1)
    } while (this.hasNext(CLOSE))
    return last
  }

  /** Whether a key comes after that of the previous entry, in the order of bytes. */
  private isSortedAfter(before: number, start: number, end: number): boolean {
    const { bytes, notes } = this
    let one = notes[before + elementNotes] as number
    const oneEnd = notes[before + elementNotes + 1] as number
    for (let other = start; other < end; other++, one++) {
      if (one === oneEnd) return true
      const difference = (bytes[other] as number) - (bytes[one] as number)
      if (difference !== 0) return difference > 0
    }
    return false
  }

  private skipValue(): void {
    const byte = this.bytes[this.at]
    this.escapedByNumber = false
    if (byte === OPEN || byte === OPEN_LIST) this.skipNested()
    else if (byte === QUOTE) {
      this.at++
      this.textEnd()
    } else while (!this.isAtEnd()) this.at++
    this.escaped = this.escapedByNumber
  }

  /** Skips an object or list. Much of an object is skipped by this loop, so it is kept fast. */
  private skipNested(): void {
    const { bytes } = this
    let { at } = this
    for (let open = 0; ; at++) {
      let byte = bytes[at]
      if (byte === QUOTE) {
        for (byte = bytes[++at]; byte !== QUOTE; byte = bytes[++at]) {
          if (byte === BACKSLASH && bytes[++at] === LETTER_U) this.escapedByNumber = true
          else if (byte === undefined) throw unexpectedText()
        }
      } else if (byte === OPEN || byte === OPEN_LIST) open++
      else if (byte === CLOSE || byte === CLOSE_LIST) {
        if (--open === 0) break
      } else if (byte === undefined) throw unexpectedText()
    }
    this.at = at + 1
  }

  /** Whether the next byte is not part of a value. */
  private isAtEnd(): boolean {
    const byte = this.bytes[this.at]
    return byte === COMMA || byte === CLOSE || byte === CLOSE_LIST || byte === undefined
  }
}

const passing = new TextReader()

/** Returns the position after the JSON value that begins at `at`. */
export const endOfText = (bytes: Uint8Array, at: number): number => passing.skip(bytes, at)

/** The offset of a key in the notes of an entry. */
export const keyNote = elementNotes

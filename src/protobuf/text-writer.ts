/**
 * Writes messages from stored JSON texts without parsing their values. The bytes are those of message.ts for the same objects.
 */
import { parseJson, stringify } from '../go/json.ts'
import type { JsonValue } from '../go/json-value.ts'
import {
  BOOL,
  EMBEDDED,
  type FieldPlan,
  INTEGER,
  LIST,
  MESSAGE,
  type MessagePlan,
  ONCE,
  TEXT,
  TIME,
  WRAPPED_JSON,
  WRAPPED_TEXT,
  WRAPPED_TEXT_OF_JSON,
} from './text-plan.ts'
import { keyNote, TextReader, valueNotes } from './text-reader.ts'
import { Writer } from './writer.ts'

const decoder = new TextDecoder()
/** The tag of field 1 with wire type 2 (length-delimited). */
const firstTag = 0x0a
const TRUE = 0x74
/** Integers of up to this many digits are exact as JavaScript numbers. */
const shortDigits = 15

/** Writes messages from the notes of a reader, from the end to the beginning. */
export class TextWriter {
  readonly reader = new TextReader()
  private writer = new Writer(0)

  /** Writes the message of the object with the notes at `start`. */
  write(writer: Writer, plan: MessagePlan, start: number): void {
    this.writer = writer
    this.fields(plan, start)
  }

  private fields({ backwards }: MessagePlan, start: number): void {
    const { notes } = this.reader
    for (let index = 0; index < backwards.length; index++) {
      const field = backwards[index] as FieldPlan
      if (field.shape === EMBEDDED) {
        this.embedded(field, start)
        continue
      }
      const note = start + field.position * valueNotes
      const at = notes[note] as number
      if (at === 0) {
        if (field.absent.length > 0) this.writer.writeBytes(field.absent)
      } else if (field.cardinality === ONCE) {
        this.value(field, at, notes[note + 1] as number)
        this.writer.writeVarint(field.tag)
      } else this.repeated(field, at)
    }
  }

  private embedded(field: FieldPlan, start: number): void {
    const behind = this.writer.length
    this.fields(field.message, start)
    this.writer.writeVarint(this.writer.length - behind)
    this.writer.writeVarint(field.tag)
  }

  private repeated(field: FieldPlan, last: number): void {
    const { writer } = this
    const { notes } = this.reader
    for (let at = last; at !== 0; at = notes[at] as number) {
      const behind = writer.length
      this.value(field, notes[at + 1] as number, notes[at + 2] as number)
      if (field.cardinality !== LIST) {
        writer.writeByte(field.valueTag)
        writer.writeRange(this.reader.bytes, notes[at + keyNote] as number, notes[at + keyNote + 1] as number)
        writer.writeByte(firstTag)
        writer.writeVarint(writer.length - behind)
      }
      writer.writeVarint(field.tag)
    }
  }

  private value(field: FieldPlan, from: number, to: number): void {
    const { writer } = this
    switch (field.shape) {
      case TEXT:
        this.text(from, to)
        break
      case MESSAGE: {
        const behind = writer.length
        this.fields(field.message, from)
        writer.writeVarint(writer.length - behind)
        break
      }
      case INTEGER:
        this.integer(field, from, to)
        break
      case BOOL:
        writer.writeByte(this.reader.bytes[from] === TRUE ? 1 : 0)
        break
      case WRAPPED_TEXT:
        this.wrapped(() => this.text(from, to))
        break
      case WRAPPED_JSON:
        this.wrapped(() => this.json(from, to))
        break
      case WRAPPED_TEXT_OF_JSON:
        this.wrapped(() => writer.writeRange(this.reader.bytes, from, Math.abs(to)))
        break
      case TIME:
        this.time(field, from, to)
        break
      default:
        field.codec.write(writer, this.valueOf(from, to))
    }
  }

  /** Writes a text; `from` and `to` are inside its quotes. */
  private text(from: number, to: number): void {
    if (to >= 0) this.writer.writeRange(this.reader.bytes, from, to)
    else this.writer.writeText(String(this.valueOf(from - 1, -to + 1)))
  }

  private json(from: number, to: number): void {
    if (to >= 0) this.writer.writeRange(this.reader.bytes, from, to)
    else this.writer.writeText(stringify(this.valueOf(from, -to)))
  }

  private wrapped(write: () => void): void {
    const { writer } = this
    const behind = writer.length
    write()
    writer.writeByte(firstTag)
    writer.writeVarint(writer.length - behind)
  }

  private integer(field: FieldPlan, from: number, to: number): void {
    const { bytes } = this.reader
    if (to - from > shortDigits || bytes[from] === 0x2d) {
      field.codec.write(this.writer, this.valueOf(from, to))
      return
    }
    let value = 0
    for (let at = from; at < to; at++) value = value * 10 + (bytes[at] as number) - 0x30
    this.writer.writeVarint(value)
  }

  private time(field: FieldPlan, from: number, to: number): void {
    const { writer } = this
    const seconds = to - from === 20 ? secondsOf(this.reader.bytes, from) : 0
    if (seconds <= 0) {
      field.codec.write(writer, this.valueOf(from - 1, Math.abs(to) + 1))
      return
    }
    const behind = writer.length
    writer.writeBytes(noNanoseconds)
    writer.writeVarint(seconds)
    writer.writeByte(0x08)
    writer.writeVarint(writer.length - behind)
  }

  private characters(from: number, to: number): string {
    return decoder.decode(this.reader.bytes.subarray(from, to))
  }

  private valueOf(from: number, to: number): JsonValue {
    return parseJson(this.characters(from, Math.abs(to)), 'verbatim')
  }
}

/** Reads a number of `count` digits; NaN if they are not digits. */
function digits(bytes: Uint8Array, at: number, count: number): number {
  let value = 0
  for (let index = at; index < at + count; index++) {
    const digit = (bytes[index] as number) - 0x30
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

/** The number of days before each month, in a year that begins with March. */
const daysBefore = [306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275]
/** The number of days from 1 March of year 0 to 1 January 1970. */
const daysBefore1970 = 719_468

/**
 * Returns the seconds since 1970 of a time in UTC without a fraction, `2006-01-02T15:04:05Z`; 0 for times that the codec must
 * write.
 */
function secondsOf(bytes: Uint8Array, at: number): number {
  const month = digits(bytes, at + 5, 2)
  const day = digits(bytes, at + 8, 2)
  const year = digits(bytes, at, 4) - (month < 3 ? 1 : 0)
  const leapDays = Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400)
  const days = year * 365 + leapDays + (daysBefore[month - 1] ?? Number.NaN) + day - 1 - daysBefore1970
  const minutes = digits(bytes, at + 11, 2) * 60 + digits(bytes, at + 14, 2)
  const seconds = (days * 1440 + minutes) * 60 + digits(bytes, at + 17, 2)
  return seconds > 0 && bytes[at + 19] === 0x5a ? seconds : 0
}

const noNanoseconds = Uint8Array.of(0x10, 0)

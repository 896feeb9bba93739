/**
 * The envelope of objects in protobuf: a prefix of four bytes, and a runtime.Unknown message with the object's type. Follows
 * k8s.io/apimachinery/pkg/runtime/serializer/protobuf.
 */
import { LENGTH_DELIMITED, Reader, WireError } from './wire.ts'
import { encodeMessage, type Writer } from './writer.ts'

/** `k8s` and a byte for the encoding style, which is always 0. */
const prefix = [0x6b, 0x38, 0x73, 0x00] as const

/** An object that is not yet decoded. The envelope's content type and encoding are ignored. */
export interface Envelope {
  /** '' if the envelope has none, or an invalid one. */
  readonly apiVersion: string
  readonly kind: string
  /** The object's own message. */
  readonly raw: Uint8Array
}

/** A message of which all fields are length-delimited: the Go names of its fields, in the order of their numbers. */
interface LengthDelimitedMessage {
  readonly name: string
  readonly goNames: readonly string[]
}

const unknown: LengthDelimitedMessage = { name: 'Unknown', goNames: ['TypeMeta', 'Raw', 'ContentEncoding', 'ContentType'] }
const typeMeta: LengthDelimitedMessage = { name: 'TypeMeta', goNames: ['APIVersion', 'Kind'] }

/** Reads to the end of the reader's message. `read` reads the value of the field with this number. */
function readFields(reader: Reader, { name, goNames }: LengthDelimitedMessage, read: (number: number) => void): void {
  while (reader.position < reader.end) {
    const start = reader.position
    const number = reader.readTag(name)
    const goName = goNames[number - 1]
    if (goName === undefined) reader.skip(start)
    else if (reader.wireType === LENGTH_DELIMITED) read(number)
    else throw new WireError(`proto: wrong wireType = ${reader.wireType} for field ${goName}`)
  }
}

/** Returns the apiVersion, or '' if its form is not `<version>` or `<group>/<version>`. */
const readableVersion = (apiVersion: string): string => (/^(?:[^/]*\/)?[^/]+$/.test(apiVersion) ? apiVersion : '')

/**
 * Reads the envelope.
 * @throws WireError, an ApiError 400 with kube-apiserver's message, if the bytes are not an object in protobuf
 */
export function readEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw new WireError('empty data')
  if (prefix.some((byte, index) => bytes[index] !== byte)) {
    throw new WireError(`provided data does not appear to be a protobuf message, expected prefix [${prefix.join(' ')}]`)
  }
  if (bytes.length === prefix.length) throw new WireError('empty body')
  const reader = new Reader(bytes.subarray(prefix.length))
  let raw: Uint8Array = new Uint8Array()
  const values: [apiVersion: string, kind: string] = ['', '']
  const readTypeMeta = (number: number): void => {
    values[number - 1] = reader.readText()
  }
  readFields(reader, unknown, (number) => {
    if (number === 2) raw = reader.readBytes()
    else if (number === 1) {
      const outer = reader.enter()
      readFields(reader, typeMeta, readTypeMeta)
      reader.leave(outer)
    } else reader.readText()
  })
  return { apiVersion: readableVersion(values[0]), kind: values[1], raw }
}

/** The type of an object. */
export interface TypeMeta {
  readonly apiVersion: string
  readonly kind: string
}

/** The fields contentEncoding and contentType, both empty. */
const end = Uint8Array.of(0x1a, 0, 0x22, 0)
const prefixBytes = Uint8Array.from(prefix)
const rawTag = 0x12

/** Writes an object with its envelope. `write` writes the object's own message. */
export function writeEnvelope(writer: Writer, typeMeta: TypeMeta, write: () => void): void {
  writer.writeBytes(end)
  const behind = writer.length
  write()
  writeStart(writer, typeMeta, writer.length - behind)
}

function writeStart(writer: Writer, { apiVersion, kind }: TypeMeta, length: number): void {
  writer.writeVarint(length)
  writer.writeByte(rawTag)
  const behind = writer.length
  writer.writeText(kind)
  writer.writeByte(0x12)
  writer.writeText(apiVersion)
  writer.writeByte(0x0a)
  writer.writeVarint(writer.length - behind)
  writer.writeByte(0x0a)
  writer.writeBytes(prefixBytes)
}

/** Returns the bytes before and after an object's own message of `length` bytes, for an object that is sent in parts. */
export function envelopeAround(typeMeta: TypeMeta, length: number): { readonly start: Uint8Array; readonly end: Uint8Array } {
  return { start: encodeMessage((writer) => writeStart(writer, typeMeta, length)), end: end.slice() }
}

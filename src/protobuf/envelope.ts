/**
 * What is around an object in protobuf: four bytes by which it is known, and a message that tells what it is
 * (runtime.Unknown). Follows k8s.io/apimachinery/pkg/runtime/serializer/protobuf.
 */
import { LENGTH_DELIMITED, Reader, WireError } from './wire.ts'
import { type Writer, written } from './writer.ts'

/** `k8s` and a byte for the style of encoding, of which there is one. */
const prefix = [0x6b, 0x38, 0x73, 0x00] as const

/** An object that is not yet decoded. The content's type and encoding, which are in the envelope too, are of no account. */
export interface Envelope {
  /** '' where the envelope does not say, or says no group and version. */
  readonly apiVersion: string
  readonly kind: string
  /** The object's own message. */
  readonly raw: Uint8Array
}

/** The fields of a message in order of their numbers, all of them texts, bytes or messages; undefined for those left out. */
interface LengthDelimitedMessage {
  readonly name: string
  readonly goNames: readonly string[]
}

const unknown: LengthDelimitedMessage = { name: 'Unknown', goNames: ['TypeMeta', 'Raw', 'ContentEncoding', 'ContentType'] }
const typeMeta: LengthDelimitedMessage = { name: 'TypeMeta', goNames: ['APIVersion', 'Kind'] }

/** Reads until the reader's message ends; `read` reads the value of the field with this number. */
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

/** What an apiVersion of another form than `<version>` or `<group>/<version>` says: nothing. */
const readableVersion = (apiVersion: string): string => (/^(?:[^/]*\/)?[^/]+$/.test(apiVersion) ? apiVersion : '')

/**
 * Reads the envelope.
 * @throws WireError, an ApiError 400, with kube-apiserver's reason why the bytes are no object in protobuf
 */
export function readEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw new WireError('empty data')
  if (prefix.some((byte, index) => bytes[index] !== byte)) {
    throw new WireError(`provided data does not appear to be a protobuf message, expected prefix [${prefix.join(' ')}]`)
  }
  if (bytes.length === prefix.length) throw new WireError('empty body')
  const reader = new Reader(bytes.subarray(prefix.length))
  let raw: Uint8Array = new Uint8Array()
  const said: [apiVersion: string, kind: string] = ['', '']
  const readTypeMeta = (number: number): void => {
    said[number - 1] = reader.readText()
  }
  readFields(reader, unknown, (number) => {
    if (number === 2) raw = reader.readBytes()
    else if (number === 1) {
      const outer = reader.enter()
      readFields(reader, typeMeta, readTypeMeta)
      reader.leave(outer)
    } else reader.readText()
  })
  return { apiVersion: readableVersion(said[0]), kind: said[1], raw }
}

/** What an object says of itself. */
export interface TypeMeta {
  readonly apiVersion: string
  readonly kind: string
}

/** The content's encoding and its type, both empty. */
const end = Uint8Array.of(0x1a, 0, 0x22, 0)
const prefixBytes = Uint8Array.from(prefix)
const rawTag = 0x12

/** Writes an object with its envelope around it. `write` writes the object's own message. */
export function writeEnvelope(writer: Writer, said: TypeMeta, write: () => void): void {
  writer.writeBytes(end)
  const behind = writer.length
  write()
  writeStart(writer, said, writer.length - behind)
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

/** What stands in front of an object's own message of so many bytes, and behind it: for one that is sent in parts. */
export function envelopeAround(said: TypeMeta, length: number): { readonly start: Uint8Array; readonly end: Uint8Array } {
  return { start: written((writer) => writeStart(writer, said, length)), end: end.slice() }
}

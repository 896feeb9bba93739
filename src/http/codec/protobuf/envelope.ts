/**
 * What is around an object in protobuf: four bytes by which it is known, and a message that tells what it is
 * (runtime.Unknown). Follows k8s.io/apimachinery/pkg/runtime/serializer/protobuf.
 */
import { LENGTH_DELIMITED, Reader, WireError } from './wire.ts'

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

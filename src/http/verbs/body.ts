/** Reads the body of a write, within its bound. */

import { type ProtobufMediaType, protobufMediaType } from '../../clusters/operation.ts'
import { ApiError } from '../../meta/errors.ts'
import type { MediaType } from '../codec/negotiate.ts'

/** 3 MiB: what kube-apiserver reads. */
const maximumBytes = 3 * 1024 * 1024

function tooLarge(): ApiError {
  return new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${maximumBytes}`)
}

/** A text as it came, also where it is no valid UTF-8. */
export interface TextInput {
  readonly mediaType: Exclude<MediaType, ProtobufMediaType>
  readonly text: string
  readonly bytes: Uint8Array
}

/** A body as its representation has it: protobuf is bytes, the others are text. */
export type Input = TextInput | { readonly mediaType: ProtobufMediaType; readonly bytes: Uint8Array }

async function readBounded(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.byteLength
    if (length > maximumBytes) throw tooLarge()
    chunks.push(chunk)
  }
  const bytes = new Uint8Array(length)
  let position = 0
  for (const chunk of chunks) {
    bytes.set(chunk, position)
    position += chunk.byteLength
  }
  return bytes
}

/** The body where its length is said to be within the bound; undefined where nothing is said. */
function declaredBody(request: Request): Request | undefined {
  const declared = request.headers.get('content-length')
  if (declared === null) return undefined
  if (Number(declared) > maximumBytes) throw tooLarge()
  return request
}

/** @throws ApiError 413 for a body above the bound; no more than that of it is read */
export async function readBytes(request: Request): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array()
  const declared = declaredBody(request)
  return declared === undefined ? readBounded(request.body) : new Uint8Array(await declared.arrayBuffer())
}

const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })

/** The text of a body. A mark of the byte order is part of it, as it is for Go. */
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes)

/** The same for a body that is of this type. */
export async function readInput(request: Request, mediaType: MediaType): Promise<Input> {
  return inputOf(await readBytes(request), mediaType)
}

/** Bytes that have been read before their type was known. */
export function inputOf(bytes: Uint8Array, mediaType: MediaType): Input {
  return mediaType === protobufMediaType ? { mediaType, bytes } : { mediaType, text: textOf(bytes), bytes }
}

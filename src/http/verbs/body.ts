/** Reads the body of a write, within its bound. */

import { type ProtobufMediaType, protobufMediaType } from '../../clusters/operation.ts'
import { ApiError } from '../../meta/errors.ts'
import { decodeUtf8 } from '../../meta/utf8.ts'
import type { MediaType } from '../codec/negotiate.ts'

/** 3 MiB: what kube-apiserver reads. */
const maximumBytes = 3 * 1024 * 1024

function tooLarge(): ApiError {
  return new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${maximumBytes}`)
}

/** A body that is text. */
export interface TextInput {
  readonly mediaType: Exclude<MediaType, ProtobufMediaType>
  readonly text: string
  /** What was sent, where it may not be UTF-8. */
  readonly bytes?: Uint8Array
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

/** The same as text. */
export const readBody = async (request: Request): Promise<string> => decodeUtf8(await readBytes(request))

/** The same for a body that is of this type. */
export async function readInput(request: Request, mediaType: MediaType): Promise<Input> {
  return inputOf(await readBytes(request), mediaType)
}

/** The same of bytes that have been read. */
export function inputOf(bytes: Uint8Array, mediaType: MediaType): Input {
  if (mediaType === protobufMediaType) return { mediaType, bytes }
  const text = decodeUtf8(bytes)
  return text.includes('\ufffd') ? { mediaType, text, bytes } : { mediaType, text }
}

/** Reads the body of a write, within its bound. */

import { type ProtobufMediaType, protobufMediaType } from '../../clusters/operation.ts'
import { ApiError } from '../../meta/errors.ts'
import { turnFor } from '../../meta/parts.ts'
import { bodyText, type TextType } from '../codec/body-text.ts'
import { cborMediaType, type MediaType } from '../codec/negotiate.ts'

/** 3 MiB: what kube-apiserver reads. */
const maximumBytes = 3 * 1024 * 1024

function tooLarge(): ApiError {
  return new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${maximumBytes}`)
}

/** Representations that are bytes and no text. */
type BinaryMediaType = ProtobufMediaType | typeof cborMediaType

/** A body as its representation has it. */
export type Input =
  | { readonly mediaType: Exclude<MediaType, BinaryMediaType>; readonly text: string }
  | { readonly mediaType: BinaryMediaType; readonly bytes: Uint8Array }

const isBinary = (mediaType: MediaType): mediaType is BinaryMediaType =>
  mediaType === protobufMediaType || mediaType === cborMediaType

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

/** The same as the text that it is in this type. */
export async function readBody(request: Request, mediaType: TextType): Promise<string> {
  return bodyText(await readBytes(request), mediaType)
}

/** The same for a body that is of this type. */
export async function readInput(request: Request, mediaType: MediaType): Promise<Input> {
  if (isBinary(mediaType)) {
    const bytes = await readBytes(request)
    await turnFor(bytes)
    return { mediaType, bytes }
  }
  const text = await readBody(request, mediaType)
  await turnFor(text)
  return { mediaType, text }
}

/** Bytes that have been read before their type was known. */
export function inputOf(bytes: Uint8Array, mediaType: MediaType): Input {
  return isBinary(mediaType) ? { mediaType, bytes } : { mediaType, text: bodyText(bytes, mediaType) }
}

/** Reads the body of a write, within its bound. */

import { type ProtobufMediaType, protobufMediaType } from '../../clusters/operation.ts'
import { ApiError } from '../../meta/errors.ts'
import type { MediaType } from '../codec/negotiate.ts'
import { discard } from '../unread-body.ts'

/** 3 MiB: what kube-apiserver reads. */
const maximumBytes = 3 * 1024 * 1024

function tooLarge(): ApiError {
  return new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${maximumBytes}`)
}

/** A body as its representation has it: protobuf is bytes, the others are text. */
export type Input =
  | { readonly mediaType: Exclude<MediaType, ProtobufMediaType>; readonly text: string }
  | { readonly mediaType: ProtobufMediaType; readonly bytes: Uint8Array }

/** A body comes within so many milliseconds: what kube-apiserver gives a request that is to end by itself. */
const mostTime = 60_000

function timedOut(): ApiError {
  return new ApiError(504, 'Timeout', 'Timeout: request did not complete within the allotted timeout')
}

/** What `read` gives, unless the client takes too long to send it. */
async function inTime<T>(read: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timedOut()), mostTime)
  })
  try {
    return await Promise.race([read, late])
  } finally {
    clearTimeout(timer)
  }
}

async function readBounded(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.byteLength
    if (length > maximumBytes) {
      await discard(reader)
      throw tooLarge()
    }
    chunks.push(next.value)
  }
  const bytes = new Uint8Array(length)
  let position = 0
  for (const chunk of chunks) {
    bytes.set(chunk, position)
    position += chunk.byteLength
  }
  return bytes
}

/** Whether the length is said to be within the bound; false where nothing is said. */
function isDeclared(request: Request): boolean {
  const declared = request.headers.get('content-length')
  if (declared === null) return false
  if (Number(declared) > maximumBytes) throw tooLarge()
  return true
}

/** @throws ApiError 413 for a body above the bound, of which no more than that is kept, and 504 for one that does not come */
export async function readBytes(request: Request): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array()
  return inTime(isDeclared(request) ? request.arrayBuffer().then((buffer) => new Uint8Array(buffer)) : readBounded(request.body))
}

/** The same as text. */
export async function readBody(request: Request): Promise<string> {
  if (request.body === null) return ''
  return inTime(isDeclared(request) ? request.text() : readBounded(request.body).then((bytes) => new TextDecoder().decode(bytes)))
}

/** The same for a body that is of this type. */
export async function readInput(request: Request, mediaType: MediaType): Promise<Input> {
  return mediaType === protobufMediaType
    ? { mediaType, bytes: await readBytes(request) }
    : { mediaType, text: await readBody(request) }
}

/** Bytes that have been read before their type was known. */
export function inputOf(bytes: Uint8Array, mediaType: MediaType): Input {
  return mediaType === protobufMediaType ? { mediaType, bytes } : { mediaType, text: new TextDecoder().decode(bytes) }
}

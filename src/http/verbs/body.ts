/** Reads the body of a request, up to its maximum size. */

import { cborMediaType, type MediaType, type ProtobufMediaType, protobufMediaType } from '../../encoding/media-type.ts'
import { freeBuffer } from '../../meta/free-buffer.ts'
import { garbage } from '../../meta/garbage.ts'
import { requireLength, tooLarge } from '../../meta/object-length.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { isLong, runInSlices, waitIfLong } from '../../meta/parts.ts'
import { isProxiedSpdy } from '../../net/proxied-spdy.ts'
import { readingYaml, type YamlDocument } from '../../yaml/parse.ts'
import { YamlSyntaxError } from '../../yaml/reader/source.ts'
import { bodyText, type TextType } from '../codec/body-text.ts'
import { discard } from '../unread-body.ts'

/** 3 MiB, the limit of kube-apiserver. */
const maximumBytes = 3 * 1024 * 1024

/**
 * Returns the JSON of a decoded object, as its collection gets it.
 * @throws ApiError 413 if the defaults have made it too long
 */
export function textOfDecoded(object: KubernetesObject): string {
  const text = JSON.stringify(object)
  requireLength(text.length)
  return text
}

/** Media types of binary bodies. */
type BinaryMediaType = ProtobufMediaType | typeof cborMediaType

/** A text body. */
export interface TextInput {
  readonly mediaType: Exclude<MediaType, BinaryMediaType>
  readonly text: string
  /** The original bytes, if the text does not represent all of them. */
  readonly bytes?: Uint8Array
  /** The parsed document of a long YAML text, or its syntax error: it is parsed in slices before it is decoded. */
  readonly yaml?: YamlDocument | YamlSyntaxError
}

/** A body with its media type: text or bytes. */
export type Input = TextInput | { readonly mediaType: BinaryMediaType; readonly bytes: Uint8Array }

const isBinary = (mediaType: MediaType): mediaType is BinaryMediaType =>
  mediaType === protobufMediaType || mediaType === cborMediaType

async function readBounded(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.byteLength
    if (length > maximumBytes) {
      await discard(reader)
      throw tooLarge(maximumBytes)
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

/** Whether Content-Length declares a length within the limit; false without the header. Throws ApiError 413 above the limit. */
function isDeclared(request: Request): boolean {
  const declared = request.headers.get('content-length')
  if (declared === null) return false
  if (Number(declared) > maximumBytes) throw tooLarge(maximumBytes)
  return true
}

/**
 * Reads the bytes of a body.
 * @throws ApiError 413 above the limit; not more than the limit is kept in memory
 */
export async function readBytes(request: Request): Promise<Uint8Array> {
  // A request for SPDY has no other body.
  if (request.body === null || isProxiedSpdy(request)) return new Uint8Array()
  return isDeclared(request) ? new Uint8Array(await request.arrayBuffer()) : readBounded(request.body)
}

/**
 * Reads a text body with this media type.
 * @throws ApiError 413
 */
export async function readBody(request: Request, mediaType: TextType): Promise<string> {
  const bytes = await readBytes(request)
  const text = bodyText(bytes, mediaType)
  garbage.handled(text)
  freeBuffer(bytes.buffer)
  return text
}

function textInput(bytes: Uint8Array, mediaType: TextInput['mediaType']): TextInput {
  const text = bodyText(bytes, mediaType)
  garbage.handled(text)
  if (mediaType === 'application/yaml' && !text.isWellFormed()) return { mediaType, text, bytes }
  freeBuffer(bytes.buffer)
  return { mediaType, text }
}

/** Parses a long text in slices, so that other requests are not delayed. */
async function longYaml(text: string): Promise<YamlDocument | YamlSyntaxError> {
  try {
    return await runInSlices(readingYaml(text))
  } catch (error) {
    if (error instanceof YamlSyntaxError) return error
    throw error
  }
}

/** Makes an input of bytes that have been read. Long YAML is parsed in slices; other bodies are not parsed yet. */
export async function inputOf(bytes: Uint8Array, mediaType: MediaType): Promise<Input> {
  if (isBinary(mediaType)) {
    await waitIfLong(bytes)
    return { mediaType, bytes }
  }
  const input = textInput(bytes, mediaType)
  await waitIfLong(input.text)
  if (mediaType !== 'application/yaml' || !isLong(input.text)) return input
  return { ...input, yaml: await longYaml(input.text) }
}

/**
 * Reads a body with this media type.
 * @throws ApiError 413
 * @example
 * const mediaType = negotiateInput(request.headers.get('content-type'))
 * const input = await readInput(request, mediaType)
 * const { object, warnings } = await decodeBody(kind, input, 'Warn')
 */
export async function readInput(request: Request, mediaType: MediaType): Promise<Input> {
  return inputOf(await readBytes(request), mediaType)
}

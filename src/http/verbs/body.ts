/** Reads the body of a write, within its bound. */

import { type ProtobufMediaType, protobufMediaType } from '../../clusters/operation.ts'
import { ApiError } from '../../meta/errors.ts'
import { freeBuffer } from '../../meta/free-buffer.ts'
import { isLong, runInSlices, waitIfLong } from '../../meta/parts.ts'
import { readingYaml, type YamlDocument } from '../../yaml/parse.ts'
import { YamlSyntaxError } from '../../yaml/reader/source.ts'
import { bodyText, type TextType } from '../codec/body-text.ts'
import { cborMediaType, type MediaType } from '../codec/negotiate.ts'
import { discard } from '../unread-body.ts'

/** 3 MiB: what kube-apiserver reads. */
const maximumBytes = 3 * 1024 * 1024

function tooLarge(): ApiError {
  return new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${maximumBytes}`)
}

/** Representations that are bytes and no text. */
type BinaryMediaType = ProtobufMediaType | typeof cborMediaType

/** A body that is text. */
export interface TextInput {
  readonly mediaType: Exclude<MediaType, BinaryMediaType>
  readonly text: string
  /** What was sent, where the text may not be all of it. */
  readonly bytes?: Uint8Array
  /** The document of a long text in YAML, or what is wrong with it: it is read in slices, before it is decoded. */
  readonly yaml?: YamlDocument | YamlSyntaxError
}

/** A body as its representation has it. */
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

/** @throws ApiError 413 for a body above the bound, of which no more than that is kept */
export async function readBytes(request: Request): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array()
  return isDeclared(request) ? new Uint8Array(await request.arrayBuffer()) : readBounded(request.body)
}

/** The same as the text that it is in this type. */
export async function readBody(request: Request, mediaType: TextType): Promise<string> {
  const bytes = await readBytes(request)
  const text = bodyText(bytes, mediaType)
  freeBuffer(bytes.buffer)
  return text
}

function textInput(bytes: Uint8Array, mediaType: TextInput['mediaType']): TextInput {
  const text = bodyText(bytes, mediaType)
  if (mediaType === 'application/yaml' && !text.isWellFormed()) return { mediaType, text, bytes }
  freeBuffer(bytes.buffer)
  return { mediaType, text }
}

/** The document of a long text, while others have their turn. */
async function longYaml(text: string): Promise<YamlDocument | YamlSyntaxError> {
  try {
    return await runInSlices(readingYaml(text))
  } catch (error) {
    if (error instanceof YamlSyntaxError) return error
    throw error
  }
}

/** The same for a body that is of this type. */
export async function readInput(request: Request, mediaType: MediaType): Promise<Input> {
  if (isBinary(mediaType)) {
    const bytes = await readBytes(request)
    await waitIfLong(bytes)
    return { mediaType, bytes }
  }
  const input = textInput(await readBytes(request), mediaType)
  await waitIfLong(input.text)
  if (mediaType !== 'application/yaml' || !isLong(input.text)) return input
  return { ...input, yaml: await longYaml(input.text) }
}

/** Bytes that have been read before their type was known. */
export function inputOf(bytes: Uint8Array, mediaType: MediaType): Input {
  return isBinary(mediaType) ? { mediaType, bytes } : textInput(bytes, mediaType)
}

/** Converts the JSON of a collection to YAML, chunk by chunk and in slices, for any length. */

import { parseJson } from '../go/json.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { ApiError } from '../meta/errors.ts'
import { nextSlice, Slicer } from '../meta/slices.ts'
import { compareKeys } from '../yaml/keys.ts'
import { YamlWriter } from '../yaml/write.ts'
import { ListItems, type ListPart } from './list-items.ts'

/** The JSON of a collection, in chunks of bytes. */
type Source = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

const encoder = new TextEncoder()

/** The characters of YAML that are written in one slice, about 5 ms. */
const yamlSlice = 128 * 1024
/** The approximate number of characters in one output chunk. */
const chunkLength = 64 * 1024

/** Yields the YAML of a value in chunks. */
async function* valueChunks(value: JsonValue, slicer: Slicer): AsyncGenerator<string> {
  const writer = new YamlWriter(value)
  for (let text = writer.next(chunkLength); text !== undefined; text = writer.next(chunkLength)) {
    yield text
    if (slicer.due(text.length)) await nextSlice()
  }
}

/** Characters that YAML cannot contain and that JSON does not escape. */
const unwritable = /[\x7f-\x84\x86-\x9f\ufffe\uffff]/

/**
 * Yields the YAML of one JSON value.
 * @throws ApiError 500 before the first chunk if the JSON has a character that YAML cannot contain. kube-apiserver fails in the
 *   same way, because it also converts JSON to YAML.
 */
export async function* yamlChunks(json: string): AsyncGenerator<Uint8Array> {
  if (unwritable.test(json)) throw new ApiError(500, '', 'yaml: control characters are not allowed')
  for await (const text of valueChunks(parseJson(json), new Slicer(yamlSlice))) yield encoder.encode(text)
}

/** Returns the fields of a list that stand before, or after, its objects. */
function side(root: JsonObject, isOnIt: (key: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(root).filter(([key]) => isOnIt(key)))
}

const renderedSide = (fields: JsonObject): string =>
  Object.keys(fields).length === 0 ? '' : (new YamlWriter(fields).next(Number.POSITIVE_INFINITY) ?? '')

async function* listParts(source: Source): AsyncGenerator<ListPart> {
  const items = new ListItems()
  for await (const bytes of source) yield* items.write(bytes)
  yield items.end()
}

/** Yields the YAML of a list object by object. If the JSON is a Status instead of a list, yields the YAML of the Status. */
async function* listTexts(source: Source): AsyncGenerator<string> {
  const slicer = new Slicer(yamlSlice)
  let head = ''
  let key = ''
  let isEmpty = true
  for await (const part of listParts(source)) {
    if (part.kind === 'head') {
      head = part.text
      key = part.key
    } else if (part.kind === 'item') {
      if (isEmpty)
        yield `${renderedSide(side(parseJson(`${head}]}`) as JsonObject, (each) => compareKeys(each, key) < 0))}${key}:\n`
      isEmpty = false
      yield* valueChunks([parseJson(part.text)], slicer)
    } else if (isEmpty) yield* valueChunks(parseJson(head + part.text), slicer)
    else yield renderedSide(side(parseJson(head + part.text) as JsonObject, (each) => compareKeys(each, key) > 0))
  }
}

/** Yields the YAML of a list, or of a Status, as bytes. Small objects share a chunk. */
export async function* yamlListChunks(source: Source): AsyncGenerator<Uint8Array> {
  let text = ''
  for await (const next of listTexts(source)) {
    text += next
    if (text.length < chunkLength) continue
    yield encoder.encode(text)
    text = ''
  }
  yield encoder.encode(text)
}

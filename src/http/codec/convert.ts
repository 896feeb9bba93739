/** What a collection answers in JSON, in another form: chunk by chunk, and in slices, however long it is. */

import { parseJson } from '../../go/json.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { ApiError } from '../../meta/errors.ts'
import { nextSlice, Slicer } from '../../meta/slices.ts'
import { compareKeys } from '../../yaml/keys.ts'
import { YamlWriter } from '../../yaml/write.ts'
import { Indenter } from './indent.ts'
import { ListItems, type ListPart } from './list-items.ts'

/** JSON as it comes from a collection. */
type Source = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

const encoder = new TextEncoder()

/** A slice of work is what takes about 5 ms: so many characters of YAML, or bytes of JSON that are indented. */
const yamlSlice = 128 * 1024
const indentSlice = 1024 * 1024
/** So many characters are given out at once, about. */
const chunkLength = 64 * 1024

/** JSON, indented. */
export async function* indentedChunks(source: Source): AsyncGenerator<Uint8Array> {
  const indenter = new Indenter()
  const slicer = new Slicer(indentSlice)
  for await (const bytes of source) {
    for (const chunk of indenter.write(bytes)) {
      yield chunk
      if (slicer.due(chunk.byteLength)) await nextSlice()
    }
  }
  yield indenter.rest()
}

/** A value as YAML. */
async function* valueChunks(value: JsonValue, slicer: Slicer): AsyncGenerator<string> {
  const writer = new YamlWriter(value)
  for (let text = writer.next(chunkLength); text !== undefined; text = writer.next(chunkLength)) {
    yield text
    if (slicer.due(text.length)) await nextSlice()
  }
}

/** Characters that YAML does not have, and JSON does not escape. */
const unwritable = /[\x7f-\x84\x86-\x9f\ufffe\uffff]/

/**
 * The YAML of one value in JSON.
 * @throws ApiError 500 at its beginning for a character that YAML does not have, as kube-apiserver fails, which makes its YAML of JSON
 */
export async function* yamlChunks(json: string): AsyncGenerator<Uint8Array> {
  if (unwritable.test(json)) throw new ApiError(500, '', 'yaml: control characters are not allowed')
  for await (const text of valueChunks(parseJson(json), new Slicer(yamlSlice))) yield encoder.encode(text)
}

/** Those fields of a list that stand on one side of its objects. */
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

/** The YAML of a list, object by object; also of what turns out to be a Status. */
async function* listTexts(source: Source): AsyncGenerator<string> {
  const slicer = new Slicer(yamlSlice)
  let head = ''
  let key = ''
  let isEmpty = true
  for await (const part of listParts(source)) {
    if (part.of === 'head') {
      head = part.text
      key = part.key
    } else if (part.of === 'item') {
      if (isEmpty)
        yield `${renderedSide(side(parseJson(`${head}]}`) as JsonObject, (each) => compareKeys(each, key) < 0))}${key}:\n`
      isEmpty = false
      yield* valueChunks([parseJson(part.text)], slicer)
    } else if (isEmpty) yield* valueChunks(parseJson(head + part.text), slicer)
    else yield renderedSide(side(parseJson(head + part.text) as JsonObject, (each) => compareKeys(each, key) > 0))
  }
}

/** The same as bytes, the texts of small objects together. */
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

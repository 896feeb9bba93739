/** The list verb: one consistent state of a collection, selected page by page and written by the writer of its encoding. */
import type { Kind } from '../../catalog/kind.ts'
import type { ListOptions, Target } from '../../clusters/operation.ts'
import type { AnswerFields } from '../../encoding/answer-fields.ts'
import type { Body } from '../../encoding/body.ts'
import { listWriterOf } from '../../encoding/encodings.ts'
import { type ListWriter, type Part, partOf } from '../../encoding/list-writer.ts'
import { ApiError } from '../../meta/errors.ts'
import { requireReadable } from '../readable.ts'
import type { Registry } from '../registry.ts'
import { isFailedConversion, notInitialized } from '../versions.ts'
import {
  countReturned,
  type Listing,
  type ListRange,
  listMetadata,
  nextKey,
  onlyJoinedPart,
  parts,
  selectionOf,
  startList,
} from './pages.ts'

/** Counts the objects of a list, and remembers the last of them. */
export class Tally {
  #count = 0
  #last: string | undefined

  /** Yields the same parts. */
  async *of(counted: AsyncIterable<Part> | Iterable<Part>): AsyncGenerator<Part> {
    for await (const part of counted) {
      this.#count += part.count
      if (part.lastKey !== '') this.#last = part.lastKey
      yield part
    }
  }

  get count(): number {
    return this.#count
  }

  /** The key of the last object; undefined for an empty list. */
  get last(): string | undefined {
    return this.#last
  }
}

/** Yields the same parts, and counts their objects as returned. */
async function* returned({ selected }: ListRange, sent: AsyncIterable<Part>): AsyncGenerator<Part> {
  for await (const part of sent) {
    countReturned(selected, part.count)
    yield part
  }
}

/**
 * Writes a list whose objects were collected. The metadata with the continue token may stand before them, so the last object is
 * known first.
 */
export function collectedBody(range: ListRange, { count, last }: Tally, writer: ListWriter): Promise<Body> {
  countReturned(range.selected, count)
  return writer.body(listMetadata(range, nextKey(range, count, last)), (room) => parts(range, writer.reads, room))
}

/** Writes a list: from the first object on, or after all of them are collected. */
async function write(listing: Listing, writer: ListWriter): Promise<Body> {
  const { only, start } = listing
  if (only !== undefined) {
    await writer.collect([partOf(only)])
    countReturned(listing.selected, only.length)
    return writer.body(listMetadata(listing, undefined), (room) => parts(listing, writer.reads, room))
  }
  if (start.limit === 0 && !writer.isMeasured)
    return writer.body(listMetadata(listing, undefined), (room) => returned(listing, parts(listing, writer.reads, room)))
  const tally = new Tally()
  const joined = onlyJoinedPart(listing, writer.reads)
  // Versions are enough to find the last object. The writer gets the objects if the selection has read them anyway.
  await writer.collect(tally.of(joined === undefined ? parts(listing, { part: 'versions' }) : [joined]))
  return collectedBody(listing, tally, writer)
}

/** Whether kube-apiserver reads a list directly from etcd: a page without a selector. */
const isDirect = ({ limit, labelSelector, fieldSelector }: ListOptions): boolean =>
  limit > 0 && labelSelector === '' && fieldSelector === ''

/**
 * Returns the error of a list that fails because of a conversion: kube-apiserver reads such lists from its watch cache, which then
 * cannot be initialized. A list that it reads directly from etcd keeps the error of the conversion.
 */
function notListed(kind: Kind, options: ListOptions, error: unknown): unknown {
  return error instanceof ApiError && isFailedConversion(error) && !isDirect(options) ? notInitialized(kind, error) : error
}

/**
 * Lists a collection. Follows ListResource of k8s.io/apiserver.
 * @returns the body: a text if the list is short and has a limit, else a stream
 * @throws ApiError 400 for invalid selectors, continue tokens and Table options, 406 for a view that lists do not have, 410 for a
 *   resourceVersion that is compacted, 504 for one that is not reached yet
 */
export async function list(
  registry: Registry,
  kind: Kind,
  target: Target,
  options: ListOptions,
  fields: AnswerFields,
): Promise<Body> {
  try {
    return await listIn(registry, kind, target, options, fields)
  } catch (error) {
    // In protobuf, the error of the conversion is kept.
    throw kind.conversion?.remote === undefined || fields.mediaType !== undefined ? error : notListed(kind, options, error)
  }
}

async function listIn(
  registry: Registry,
  kind: Kind,
  target: Target,
  options: ListOptions,
  { representation, mediaType, converted }: AnswerFields,
): Promise<Body> {
  const listing = await startList(registry, kind, target, options)
  const { store, selected } = listing
  const remote = kind.conversion?.remote
  if (mediaType === undefined && remote?.isFailing === true && !isDirect(options)) await requireReadable(store, kind, remote)
  const selection = selectionOf(selected)
  const list = { collection: registry, kind: kind.asStored(), view: representation, selection, converted }
  return write(listing, listWriterOf(list, mediaType))
}

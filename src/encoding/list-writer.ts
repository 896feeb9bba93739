/** The interface between a list, which selects objects page by page, and the encodings that write it. */
import type { Kind } from '../catalog/kind.ts'
import type { Head, Stored } from '../storage/store.ts'
import type { Body, Room } from './body.ts'
import type { EncodedCollection } from './event-writer.ts'
import type { ListMetadata } from './json-view.ts'
import type { View } from './view.ts'

/** Selected objects of a list, as far as they have been read. */
export type Part = { readonly count: number; readonly lastKey: string } & (
  | { readonly read: 'versions'; readonly resourceVersions: readonly number[]; readonly bytes: number }
  | { readonly read: 'heads'; readonly heads: readonly Head[] }
  | { readonly read: 'objects'; readonly objects: readonly Stored[] }
  /** Values that SQLite has joined. */
  | { readonly read: 'joined'; readonly bytes: Uint8Array }
)

/** The parts that a writer wants. It gets objects instead if the selection reads values, and heads if it reads labels. */
export type Reads =
  | { readonly part: 'versions' | 'heads' | 'objects' }
  /** `beginning` replaces the opening brace of each value. */
  | { readonly part: 'joined'; readonly beginning: string }

/** A list as its writer sees it. */
export interface WrittenList {
  readonly collection: EncodedCollection
  readonly kind: Kind
  readonly view: View | undefined
  /** The way in which objects are selected: without their values, by their values, or after a webhook has converted them. */
  readonly selection: 'unread' | 'read' | 'converted'
  /** The contents of the Worker's memory while it converts the list; undefined if it passes the list on. */
  readonly converted: 'bytes' | 'texts' | undefined
}

/** Writes one list in one encoding. */
export interface ListWriter {
  readonly reads: Reads
  /** Whether every list is collected before its first byte is sent. Else only a list with a limit is, because of its metadata. */
  readonly isMeasured: boolean
  /**
   * Reads all parts before anything is written, and holds as much of them as memory allows.
   * @throws ApiError 429 if there is no memory
   */
  readonly collect: (parts: AsyncIterable<Part> | Iterable<Part>) => Promise<void>
  /**
   * Returns the body.
   * @param again reads all parts, for a list that was not collected or not held. `room` reserves memory for texts.
   * @throws ApiError 429 if there is no memory
   */
  readonly body: (metadata: ListMetadata, again: (room: Room | undefined) => AsyncIterable<Part>) => Promise<Body>
}

/** Returns a part of whole objects. */
export const partOf = (objects: readonly Stored[]): Part => ({
  read: 'objects',
  objects,
  count: objects.length,
  lastKey: objects.at(-1)?.key ?? '',
})

/** Durable Objects limit a text to 2 MB, and joined values are one text. The remainder is for the typeMeta of each object. */
const groupBytes = 1_800_000

/** Groups the resourceVersions of objects that are read in one query, up to the bytes of a page of the store. */
export function* groupsOf(heads: readonly Head[]): Generator<readonly number[]> {
  let group: number[] = []
  let length = 0
  for (const { resourceVersion, bytes } of heads) {
    if (group.length > 0 && length + bytes > groupBytes) {
      yield group
      group = []
      length = 0
    }
    group.push(resourceVersion)
    length += bytes + 1
  }
  if (group.length > 0) yield group
}

/** Length in bytes from which a value is scanned as bytes, if the view can do so. */
const longBytes = 64 * 1024

/**
 * Objects of a group that are read as texts. Texts of larger pages outlive V8's young generation while their page is written, and
 * then hundreds of MB gather before the old generation is collected.
 */
export const textRows = 100

/** Groups heads whose values are read in one query: each long value alone, the others up to the size of a page. */
export function* groupsByLength(
  heads: readonly Head[],
): Generator<{ readonly group: readonly Head[]; readonly isLong: boolean }> {
  let group: Head[] = []
  let bytes = 0
  for (const head of heads) {
    const isLong = head.bytes >= longBytes
    if (group.length > 0 && (isLong || group.length === textRows || bytes + head.bytes > groupBytes)) {
      yield { group, isLong: false }
      group = []
      bytes = 0
    }
    if (isLong) yield { group: [head], isLong }
    else {
      group.push(head)
      bytes += head.bytes
    }
  }
  if (group.length > 0) yield { group, isLong: false }
}

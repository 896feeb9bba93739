/** The cache of objects encoded as protobuf: each version of an object is encoded once, as far as memory allows. */
import { freeBuffer } from '../meta/free-buffer.ts'
import { garbage } from '../meta/garbage.ts'
import { type Cache, type CacheShare, type MemoryBudget, memoryBudget } from '../meta/memory-budget.ts'
import { encodeMessage } from '../protobuf/writer.ts'
import type { JoinedValues, Store, Stored } from '../storage/store.ts'
import type { ProtobufView } from './protobuf-view.ts'

/** The message of an object without its tag and length in a list: a range of shared bytes that must not be modified. */
export interface EncodedObject {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
}

/** Objects that were encoded one after the other. They share a buffer and are dropped together. */
interface Block {
  readonly objects: ReadonlyMap<number, EncodedObject>
  /** The cached blocks of the same view, by resourceVersion. */
  readonly kept: Map<number, Block>
  readonly size: number
  /** The number of the last request that used one of the objects. */
  usedBy: number
}

/** Approximate bytes of a block. */
const blockBytes = 32 * 1024
/** Bytes of memory that an object and a block take besides the encoded bytes. */
const objectOverhead = 150
const blockOverhead = 400

const encoder = new TextEncoder()

/**
 * Encodes values until a block is full.
 * @param from the index and the offset of the first value; advanced to the next value that is not encoded
 */
function writeBlock(
  view: ProtobufView,
  { bytes: values, count }: JoinedValues,
  from: { index: number; at: number },
): EncodedObject[] {
  const lengths = [0]
  const bytes = encodeMessage((writer) => {
    do {
      // Skips the comma between two values.
      from.at = view.write(writer, values, from.at) + 1
      from.index++
      lengths.push(writer.length)
    } while (writer.length < blockBytes && from.index < count)
  })
  garbage.handled(bytes)
  // The writer writes backwards: later objects have lower offsets.
  const { byteLength } = bytes
  return lengths
    .slice(1)
    .map((length, index) => ({ bytes, start: byteLength - length, end: byteLength - (lengths[index] as number) }))
}

/** The cache of one Durable Object. */
export class EncodedObjects implements Cache {
  readonly #maximumBytes: number
  readonly #share: CacheShare
  /** Blocks by the name of the view, then by resourceVersion. */
  readonly #kept = new Map<string, Map<number, Block>>()
  /** Blocks, the least recently used first. */
  readonly #blocks = new Set<Block>()
  #readings = 0

  /** @param budget bounds the memory of many caches together */
  constructor(maximumBytes: number, budget: MemoryBudget) {
    this.#maximumBytes = maximumBytes
    this.#share = budget.share(this)
  }

  /** The bytes of memory in use. */
  get bytes(): number {
    return this.#share.bytes
  }

  /**
   * Begins a request and returns its number. A request does not evict blocks that it has used itself, so that a list longer than
   * the cache keeps its beginning cached.
   */
  beginReading(): number {
    return ++this.#readings
  }

  /** Returns the cached object of this version, or undefined. */
  get(view: ProtobufView, resourceVersion: number, reading: number): EncodedObject | undefined {
    const block = this.#kept.get(view.name)?.get(resourceVersion)
    if (block === undefined) return undefined
    if (block.usedBy !== reading) {
      block.usedBy = reading
      this.#share.use()
      this.#blocks.delete(block)
      this.#blocks.add(block)
    }
    return block.objects.get(resourceVersion)
  }

  /**
   * Encodes values, and caches them as far as there is room.
   * @param resourceVersions the versions of the values, in the same order
   */
  *add(
    view: ProtobufView,
    resourceVersions: readonly number[],
    values: JoinedValues,
    reading: number,
  ): Generator<readonly EncodedObject[]> {
    for (const next = { index: 0, at: 0 }; next.index < values.count; ) {
      const first = next.index
      const objects = writeBlock(view, values, next)
      this.#keep(view, new Map(objects.map((object, index) => [resourceVersions[first + index] as number, object])), reading)
      yield objects
    }
  }

  /** Returns the object from the cache, or encodes it. Counts as a request. */
  of(view: ProtobufView, { resourceVersion, value }: Stored): EncodedObject {
    const reading = this.beginReading()
    const known = this.get(view, resourceVersion, reading)
    if (known !== undefined) return known
    const [objects = []] = this.add(view, [resourceVersion], { bytes: encoder.encode(value), count: 1 }, reading)
    return objects[0] as EncodedObject
  }

  #keep({ name }: ProtobufView, objects: ReadonlyMap<number, EncodedObject>, reading: number): void {
    const [first] = objects.values()
    const size = (first?.bytes.byteLength ?? 0) + objects.size * objectOverhead + blockOverhead
    if (!this.#makeRoom(size, reading)) return
    const kept = this.#kept.get(name) ?? new Map<number, Block>()
    this.#kept.set(name, kept)
    const block = { objects, kept, size, usedBy: reading }
    for (const resourceVersion of objects.keys()) kept.set(resourceVersion, block)
    this.#blocks.add(block)
    this.#share.add(size)
  }

  shed(bytes: number): void {
    const target = this.bytes - bytes
    for (const block of this.#blocks) {
      if (this.bytes <= target) return
      this.#drop(block)
    }
  }

  #makeRoom(size: number, reading: number): boolean {
    if (size > this.#maximumBytes) return false
    for (const block of this.#blocks) {
      if (this.bytes + size <= this.#maximumBytes) return true
      if (block.usedBy >= reading) return false
      this.#drop(block)
    }
    return this.bytes + size <= this.#maximumBytes
  }

  #drop(block: Block): void {
    this.#blocks.delete(block)
    this.#share.remove(block.size)
    for (const resourceVersion of block.objects.keys()) {
      if (block.kept.get(resourceVersion) === block) block.kept.delete(resourceVersion)
    }
  }
}

/** The most bytes of the cache of one Durable Object. */
const keptBytes = 16 * 1024 * 1024

const ofStores = new WeakMap<Store, EncodedObjects>()

/** Returns the cache of a store. */
export function encodedObjectsOf(store: Store): EncodedObjects {
  let objects = ofStores.get(store)
  if (objects === undefined) {
    objects = new EncodedObjects(keptBytes, memoryBudget)
    ofStores.set(store, objects)
  }
  return objects
}

/** Objects identified by their resourceVersions. */
export interface Versions {
  readonly resourceVersions: readonly number[]
  /** The total bytes of the values, if known. */
  readonly bytes?: number
}

/**
 * Returns the encoded objects of these versions, in their order.
 * @throws ApiError 410 Expired if one of the versions is compacted
 */
export function readEncoded(
  store: Store,
  view: ProtobufView,
  { resourceVersions, bytes }: Versions,
  reading: number,
): readonly EncodedObject[] {
  const objects = encodedObjectsOf(store)
  const found = resourceVersions.map((resourceVersion) => objects.get(view, resourceVersion, reading))
  const missing = [...found.keys()].filter((index) => found[index] === undefined)
  const versionAt = (index: number): number => resourceVersions[index] as number
  missing.sort((a, b) => versionAt(a) - versionAt(b))
  const versions = missing.map(versionAt)
  let next = 0
  for (const values of store.valuesOf(versions, bytes)) {
    for (const written of objects.add(view, versions.slice(next, next + values.count), values, reading)) {
      for (const object of written) found[missing[next++] as number] = object
    }
    freeBuffer(values.bytes.buffer)
  }
  return found as readonly EncodedObject[]
}

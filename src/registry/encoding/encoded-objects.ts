/** Objects in protobuf that are asked for again: each version of an object is written once, as far as memory allows. */
import { giveBack } from '../../meta/give-back.ts'
import { written } from '../../protobuf/writer.ts'
import type { JoinedValues, Stored } from '../../storage/store.ts'
import type { Registry } from '../registry.ts'
import type { ProtobufForm } from './protobuf.ts'

/** The message of an object, without what is around it in a list: a part of other bytes, which are not to be changed. */
export interface EncodedObject {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
}

/** Objects that were written one after the other: they are kept together, because memory is had and given back in pieces. */
interface Block {
  readonly objects: ReadonlyMap<number, EncodedObject>
  /** Those of the form that are kept. */
  readonly kept: Map<number, Block>
  readonly size: number
  /** The last reading that used one of them. */
  usedBy: number
}

/** What is written at once, about. */
const blockBytes = 32 * 1024
/** What an object and a block take beside the bytes. */
const objectOverhead = 150
const blockOverhead = 400

const encoder = new TextEncoder()

/**
 * Writes the first values, as many as make a block.
 * @param from the index of the first, and where it begins; it is then the next one's
 */
function writeBlock(
  form: ProtobufForm,
  { bytes: values, count }: JoinedValues,
  from: { index: number; at: number },
): EncodedObject[] {
  const lengths = [0]
  const bytes = written((writer) => {
    do {
      // A comma stands between two values.
      from.at = form.write(writer, values, from.at) + 1
      from.index++
      lengths.push(writer.length)
    } while (writer.length < blockBytes && from.index < count)
  })
  // What is written later stands in front.
  const { byteLength } = bytes
  return lengths
    .slice(1)
    .map((length, index) => ({ bytes, start: byteLength - length, end: byteLength - (lengths[index] as number) }))
}

/** What one Durable Object keeps. */
export class EncodedObjects {
  readonly #maximumBytes: number
  /** By form and version. */
  readonly #kept = new Map<string, Map<number, Block>>()
  /** The least recently used first. */
  readonly #blocks = new Set<Block>()
  #bytes = 0
  #readings = 0

  constructor(maximumBytes: number) {
    this.#maximumBytes = maximumBytes
  }

  /** How many bytes are kept. */
  get bytes(): number {
    return this.#bytes
  }

  /** Begins a reading: what it uses does not make room for what else it reads, so that a list that is too long keeps its beginning. */
  beginReading(): number {
    return ++this.#readings
  }

  /** The object of this version, where it is known. */
  get(form: ProtobufForm, resourceVersion: number, reading: number): EncodedObject | undefined {
    const block = this.#kept.get(form.name)?.get(resourceVersion)
    if (block === undefined) return undefined
    if (block.usedBy !== reading) {
      block.usedBy = reading
      this.#blocks.delete(block)
      this.#blocks.add(block)
    }
    return block.objects.get(resourceVersion)
  }

  /**
   * Writes values, and keeps what there is room for.
   * @param resourceVersions those of the values
   */
  *add(
    form: ProtobufForm,
    resourceVersions: readonly number[],
    values: JoinedValues,
    reading: number,
  ): Generator<readonly EncodedObject[]> {
    for (const next = { index: 0, at: 0 }; next.index < values.count; ) {
      const first = next.index
      const objects = writeBlock(form, values, next)
      this.#keep(form, new Map(objects.map((object, index) => [resourceVersions[first + index] as number, object])), reading)
      yield objects
    }
  }

  /** The object, of a reading of its own: written where it is not known. */
  of(form: ProtobufForm, { resourceVersion, value }: Stored): EncodedObject {
    const reading = this.beginReading()
    const known = this.get(form, resourceVersion, reading)
    if (known !== undefined) return known
    const [objects = []] = this.add(form, [resourceVersion], { bytes: encoder.encode(value), count: 1 }, reading)
    return objects[0] as EncodedObject
  }

  #keep({ name }: ProtobufForm, objects: ReadonlyMap<number, EncodedObject>, reading: number): void {
    const [first] = objects.values()
    const size = (first?.bytes.byteLength ?? 0) + objects.size * objectOverhead + blockOverhead
    if (!this.#makeRoom(size, reading)) return
    const kept = this.#kept.get(name) ?? new Map<number, Block>()
    this.#kept.set(name, kept)
    const block = { objects, kept, size, usedBy: reading }
    for (const resourceVersion of objects.keys()) kept.set(resourceVersion, block)
    this.#blocks.add(block)
    this.#bytes += size
  }

  #makeRoom(size: number, reading: number): boolean {
    if (size > this.#maximumBytes) return false
    for (const block of this.#blocks) {
      if (this.#bytes + size <= this.#maximumBytes) return true
      if (block.usedBy >= reading) return false
      this.#drop(block)
    }
    return this.#bytes + size <= this.#maximumBytes
  }

  #drop(block: Block): void {
    this.#blocks.delete(block)
    this.#bytes -= block.size
    for (const resourceVersion of block.objects.keys()) {
      if (block.kept.get(resourceVersion) === block) block.kept.delete(resourceVersion)
    }
  }
}

/** So many bytes of a Durable Object's memory. */
const keptBytes = 16 * 1024 * 1024

const ofRegistries = new WeakMap<Registry, EncodedObjects>()

/** What is kept beside a registry. */
export function encodedObjectsOf(registry: Registry): EncodedObjects {
  let objects = ofRegistries.get(registry)
  if (objects === undefined) {
    objects = new EncodedObjects(keptBytes)
    ofRegistries.set(registry, objects)
  }
  return objects
}

/** Objects by their versions. */
export interface Versions {
  readonly resourceVersions: readonly number[]
  /** Of their values, where that is known. */
  readonly bytes?: number
}

/** The objects of these versions, in their order. Throws expired where history has dropped one of them. */
export function readEncoded(
  registry: Registry,
  form: ProtobufForm,
  { resourceVersions, bytes }: Versions,
  reading: number,
): readonly EncodedObject[] {
  const objects = encodedObjectsOf(registry)
  const found = resourceVersions.map((resourceVersion) => objects.get(form, resourceVersion, reading))
  const missing = [...found.keys()].filter((index) => found[index] === undefined)
  const versionAt = (index: number): number => resourceVersions[index] as number
  missing.sort((a, b) => versionAt(a) - versionAt(b))
  const versions = missing.map(versionAt)
  let next = 0
  for (const values of registry.store.valuesOf(versions, bytes)) {
    for (const written of objects.add(form, versions.slice(next, next + values.count), values, reading)) {
      for (const object of written) found[missing[next++] as number] = object
    }
    giveBack(values.bytes.buffer)
  }
  return found as readonly EncodedObject[]
}

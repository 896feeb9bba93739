/** Objects in protobuf that are asked for again: each version of an object is written once, as far as memory allows. */
import { written } from '../protobuf/writer.ts'
import type { Stored } from '../storage/store.ts'
import type { ProtobufForm } from './protobuf-form.ts'
import type { Registry } from './registry.ts'

/** An object without what is around it in a list. */
export interface EncodedObject {
  readonly key: string
  readonly message: Uint8Array
}

interface Entry extends EncodedObject {
  /** The last reading that used it. */
  usedBy: number
}

/** What an entry takes beside its message. */
const overheadBytes = 400

/** Values that are read from the store at once. */
const batch = 100

/** What one Durable Object keeps: by form and version, the least recently used first. */
export class EncodedObjects {
  readonly #maximumBytes: number
  readonly #entries = new Map<string, Entry>()
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
    const name = `${resourceVersion} ${form.name}`
    const entry = this.#entries.get(name)
    if (entry === undefined) return undefined
    if (entry.usedBy !== reading) {
      entry.usedBy = reading
      this.#entries.delete(name)
      this.#entries.set(name, entry)
    }
    return entry
  }

  /** Writes an object, and keeps it where there is room. */
  add(form: ProtobufForm, { key, resourceVersion, value }: Stored, reading: number): EncodedObject {
    const entry = { key, message: written((writer) => form.write(writer, value)), usedBy: reading }
    const size = entry.message.byteLength + overheadBytes
    if (this.#makeRoom(size, reading)) {
      this.#entries.set(`${resourceVersion} ${form.name}`, entry)
      this.#bytes += size
    }
    return entry
  }

  /** The same as of a reading of its own. */
  of(form: ProtobufForm, stored: Stored): EncodedObject {
    const reading = this.beginReading()
    return this.get(form, stored.resourceVersion, reading) ?? this.add(form, stored, reading)
  }

  #makeRoom(size: number, reading: number): boolean {
    if (size > this.#maximumBytes) return false
    for (const [name, { message, usedBy }] of this.#entries) {
      if (this.#bytes + size <= this.#maximumBytes) return true
      if (usedBy >= reading) return false
      this.#entries.delete(name)
      this.#bytes -= message.byteLength + overheadBytes
    }
    return true
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

/** The objects of these versions, in their order. Throws expired where history has dropped one of them. */
export function readEncoded(
  registry: Registry,
  form: ProtobufForm,
  resourceVersions: readonly number[],
  reading: number,
): readonly EncodedObject[] {
  const objects = encodedObjectsOf(registry)
  const found = resourceVersions.map((resourceVersion) => objects.get(form, resourceVersion, reading))
  const missing = resourceVersions.filter((_, index) => found[index] === undefined)
  const read: EncodedObject[] = []
  for (let from = 0; from < missing.length; from += batch) {
    for (const stored of registry.store.objectsOf(missing.slice(from, from + batch)))
      read.push(objects.add(form, stored, reading))
  }
  let next = 0
  return found.map((object) => object ?? (read[next++] as EncodedObject))
}

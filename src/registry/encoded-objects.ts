/** Objects in protobuf that are asked for again: each version of an object is written once, as far as memory allows. */
import { type Writer, written } from '../protobuf/writer.ts'
import type { JoinedValues, Stored } from '../storage/store.ts'
import type { ProtobufForm } from './protobuf-form.ts'
import type { Registry } from './registry.ts'

/** An object without what is around it in a list. */
interface Entry {
  readonly message: Uint8Array
  /** The last reading that used it. */
  usedBy: number
}

/** What an entry takes beside its message. */
const overheadBytes = 250
const sizeOf = (message: Uint8Array): number => message.byteLength + overheadBytes

const encoder = new TextEncoder()

/** Messages by version, the least recently used first. */
type OfForm = Map<number, Entry>

/** What one Durable Object keeps: the forms, too, stand in the order in which they were used. */
export class EncodedObjects {
  readonly #maximumBytes: number
  readonly #forms = new Map<string, OfForm>()
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

  /** The message of the object of this version, where it is known. */
  get(form: ProtobufForm, resourceVersion: number, reading: number): Uint8Array | undefined {
    const entries = this.#forms.get(form.name)
    const entry = entries?.get(resourceVersion)
    if (entries === undefined || entry === undefined) return undefined
    if (entry.usedBy !== reading) {
      entry.usedBy = reading
      entries.delete(resourceVersion)
      entries.set(resourceVersion, entry)
    }
    return entry.message
  }

  /** Keeps the message of an object where there is room. */
  add(form: ProtobufForm, resourceVersion: number, message: Uint8Array, reading: number): void {
    const size = sizeOf(message)
    if (!this.#makeRoom(size, reading)) return
    this.#entriesOf(form).set(resourceVersion, { message, usedBy: reading })
    this.#bytes += size
  }

  /** The message of an object, of a reading of its own: written where it is not known. */
  of(form: ProtobufForm, { resourceVersion, value }: Stored): Uint8Array {
    const reading = this.beginReading()
    const known = this.get(form, resourceVersion, reading)
    if (known !== undefined) return known
    const message = written((writer) => form.write(writer, encoder.encode(value), 0))
    this.add(form, resourceVersion, message, reading)
    return message
  }

  #entriesOf({ name }: ProtobufForm): OfForm {
    const known = this.#forms.get(name)
    if (known !== undefined && this.#forms.size === 1) return known
    const entries = known ?? new Map<number, Entry>()
    this.#forms.delete(name)
    this.#forms.set(name, entries)
    return entries
  }

  #makeRoom(size: number, reading: number): boolean {
    if (size > this.#maximumBytes) return false
    for (const [name, entries] of this.#forms) {
      for (const [resourceVersion, { message, usedBy }] of entries) {
        if (this.#bytes + size <= this.#maximumBytes) return true
        if (usedBy >= reading) return false
        entries.delete(resourceVersion)
        this.#bytes -= sizeOf(message)
      }
      if (entries.size === 0) this.#forms.delete(name)
    }
    return this.#bytes + size <= this.#maximumBytes
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

/** The messages of values as they were read from the store. */
function* messagesOf(form: ProtobufForm, { bytes, count }: JoinedValues): Generator<Uint8Array> {
  let at = 0
  const write = (writer: Writer): void => {
    // A comma stands between two values.
    at = form.write(writer, bytes, at) + 1
  }
  for (let made = 0; made < count; made++) yield written(write)
}

/** The messages of these versions, in their order. Throws expired where history has dropped one of them. */
export function readEncoded(
  registry: Registry,
  form: ProtobufForm,
  resourceVersions: readonly number[],
  reading: number,
): readonly Uint8Array[] {
  const objects = encodedObjectsOf(registry)
  const found = resourceVersions.map((resourceVersion) => objects.get(form, resourceVersion, reading))
  const missing = [...found.keys()].filter((index) => found[index] === undefined)
  const versionAt = (index: number): number => resourceVersions[index] as number
  missing.sort((a, b) => versionAt(a) - versionAt(b))
  let next = 0
  for (const values of registry.store.valuesOf(missing.map(versionAt))) {
    for (const message of messagesOf(form, values)) {
      const index = missing[next++] as number
      found[index] = message
      objects.add(form, versionAt(index), message, reading)
    }
  }
  return found as readonly Uint8Array[]
}

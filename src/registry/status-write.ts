/**
 * Status writes of controllers to objects with a large spec. The stored text is split, so that the spec is neither parsed nor
 * encoded. Clients see the same result as after any other write to the status.
 */
import type { Kind } from '../catalog/kind.ts'
import type { JsonObject } from '../go/json-value.ts'
import type { KubernetesObject, ObjectMeta } from '../meta/object-meta.ts'
import type { Stored, Transaction } from '../storage/store.ts'
import { keepTimes, trackUpdate } from './managed-fields.ts'
import type { Registry } from './registry.ts'
import { strategyOf } from './strategy.ts'

/** An object without its spec. */
export interface Outline extends KubernetesObject {
  status?: unknown
}

/** A stored object, split in two parts. */
interface Parts {
  readonly outline: Outline
  /** The stored text `"spec":{…}`. */
  readonly spec: string
}

const specStart = ',"spec":{'
const statusStart = ',"status":{'

/** Parses a text; undefined if it is malformed, for example cut within a value. */
function parsed(text: string): JsonObject | undefined {
  try {
    return JSON.parse(text) as JsonObject
  } catch {
    return undefined
  }
}

/**
 * Splits the value of a built-in kind. Metadata contains no object named spec, so the first one is that of the object. A status
 * inside the spec is followed by too many closing brackets, so it does not parse.
 * @returns undefined if the value does not consist of metadata, spec and status, in this order
 */
export function partsOf(value: string): Parts | undefined {
  const spec = value.indexOf(specStart)
  const status = value.lastIndexOf(statusStart)
  if (spec < 0 || status < spec) return undefined
  const head = parsed(`${value.slice(0, spec)}}`)
  const tail = parsed(`{${value.slice(status + 1)}`)
  if (head?.metadata === undefined || tail?.status === undefined) return undefined
  if (Object.keys(head).length + Object.keys(tail).length !== 2) return undefined
  const outline = { metadata: head.metadata as ObjectMeta, status: tail.status }
  return { outline, spec: value.slice(spec + 1, status) }
}

/** The parameters of a status write. */
export interface StatusChange {
  readonly kind: Kind
  readonly manager: string
  /** Modifies the status and the finalizers in place. */
  readonly change: (outline: Outline) => void
}

/**
 * Changes the status and the finalizers of a stored object. Removes the object if its deletion has begun and no finalizers are
 * left.
 * @returns false if the value cannot be split; then nothing was written
 */
export function writeStatusIn(registry: Registry, transaction: Transaction, existing: Stored, by: StatusChange): boolean {
  const { kind, manager, change } = by
  const parts = partsOf(existing.value)
  if (parts === undefined) return false
  const { outline: old, spec } = parts
  const outline = structuredClone(old)
  change(outline)
  const resetFields = strategyOf(kind).resetFieldsOf('status')
  trackUpdate(registry, kind, outline, old, { manager, subresource: 'status', resetFields })
  keepTimes(outline, old)
  const { status, ...head } = outline
  const start = kind.codec.encode(head, String(existing.resourceVersion)).slice(0, -1)
  const end = kind.codec.encode({ metadata: {}, status } as Outline, '').slice('{"metadata":{}'.length)
  const value = `${start},${spec}${end}`
  if (value === existing.value) return true
  const { metadata } = outline
  const isGone = metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0
  const next = transaction.nextResourceVersion()
  // As in updates, the DELETED event has the state before the write that completes the deletion.
  if (isGone) transaction.remove(kind.codec.withResourceVersion(existing, next))
  else transaction.put(kind.codec.withResourceVersion({ ...existing, value }, next))
  return true
}

/** delete: at once, or in two phases where finalizers hold the object. Follows the registry's Delete. */
import type { Kind } from '../catalog/kind.ts'
import type { DeleteOptions, Target } from '../clusters/operation.ts'
import { conflict, notFound } from '../meta/errors.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import { rfc3339Seconds } from '../meta/time.ts'
import type { Stored, Transaction } from '../storage/store.ts'
import { type Answer, contextOf, type Registry } from './registry.ts'
import { encodeValue, keyOf, objectOf, storedOf, wholeText } from './stored-object.ts'
import { strategyOf } from './strategy.ts'

/** @throws ApiError 404, 409 where a precondition does not hold, 403 where the object may not go */
export function remove(registry: Registry, kind: Kind, target: Target, options: DeleteOptions, dryRun: boolean): Promise<Answer> {
  return registry.store.write((transaction) => {
    const existing = transaction.get(keyOf(kind, target.namespace, target.name))
    if (existing === undefined) throw notFound(kind, target.name)
    const { value, gone } = removeIn(registry, transaction, kind, existing, options, dryRun)
    const whole = !gone || strategyOf(kind).returnsDeletedObject
    return { code: 200, text: whole ? wholeText(kind, value) : deletedStatus(kind, value) }
  })
}

/** What became of an object. */
export interface Removal {
  /** Its last state, as stored. */
  readonly value: string
  readonly gone: boolean
}

/** The same within a commit, for an object that exists. */
export function removeIn(
  registry: Registry,
  transaction: Transaction,
  kind: Kind,
  existing: Stored,
  options: DeleteOptions,
  dryRun: boolean,
): Removal {
  const object = objectOf(existing)
  const context = contextOf(registry, kind, transaction, dryRun)
  checkPreconditions(kind, object, existing, options)
  const strategy = strategyOf(kind)
  const refusal = strategy.mayDelete?.(object, context)
  if (refusal !== undefined) throw refusal
  const before = object.metadata.deletionTimestamp
  const held = strategy.beginDeletion?.(object, context) ?? false
  const { metadata } = object
  const grace = strategy.gracePeriod?.(object, options.gracePeriodSeconds) ?? 0
  const gone = !held && grace === 0 && (metadata.finalizers ?? []).length === 0
  if (!gone && before === undefined) markDeleted(object, registry.now(), held ? undefined : grace)
  if (!gone && before !== undefined) return { value: existing.value, gone }
  if (dryRun) return { value: encodeValue(object, metadata.resourceVersion ?? ''), gone }
  const record = storedOf(existing.key, object, transaction.nextResourceVersion())
  if (gone) transaction.remove(record)
  else transaction.put(record)
  return { value: record.value, gone }
}

/** @param grace seconds that the object may stay; undefined for one that its strategy holds (a Namespace), which knows no grace */
function markDeleted(object: KubernetesObject, now: number, grace: number | undefined): void {
  const { metadata } = object
  metadata.deletionTimestamp = rfc3339Seconds(now + (grace ?? 0) * 1000)
  if (grace !== undefined) metadata.deletionGracePeriodSeconds = grace
  if ((metadata.generation ?? 0) > 0) metadata.generation = (metadata.generation ?? 0) + 1
}

/** @throws ApiError 409 where the object is not the one, or not in the state, that the options name */
export function checkPreconditions(kind: Kind, object: KubernetesObject, existing: Stored, options: DeleteOptions): void {
  const { uid = '' } = object.metadata
  const { name = '' } = object.metadata
  const subject = { group: kind.group, resource: kind.kind }
  if (options.uid !== undefined && options.uid !== uid) {
    const why = `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`
    throw conflict(subject, name, why)
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== String(existing.resourceVersion)) {
    const why = `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${existing.resourceVersion}). The object might have been modified`
    throw conflict(subject, name, why)
  }
}

function deletedStatus(kind: Kind, value: string): string {
  const { metadata } = JSON.parse(value) as KubernetesObject
  return JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: metadata.name,
      ...(kind.group !== '' && { group: kind.group }),
      kind: kind.resource,
      uid: metadata.uid,
    },
  })
}

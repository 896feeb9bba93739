/** Allocated cluster IPs and node ports of Services, cached for each store, so that a value is never allocated twice. */
import { parseJson } from '../../../go/json.ts'
import type { KubernetesObject, ObjectMeta } from '../../../meta/object-meta.ts'
import type { Store } from '../../../storage/store.ts'
import type { StrategyContext } from '../../hooks.ts'

/** The owner of a value: the metadata of an object whose name may not be generated yet. */
type Owner = Pick<ObjectMeta, 'namespace' | 'name'>

/** Returns the allocated values of an object. */
export type ValuesOf = (object: KubernetesObject) => readonly string[]

const pageSize = 500

/**
 * The allocated values of one collection. An entry stays when its object is deleted or rejected: `isFree` checks it against the
 * stored object, so deletions need no notification.
 */
export class Allocations {
  private readonly owners = new Map<string, Owner>()
  private readonly prefix: string
  private readonly valuesOf: ValuesOf

  constructor(prefix: string, valuesOf: ValuesOf) {
    this.prefix = prefix
    this.valuesOf = valuesOf
  }

  /** Adds the values of all stored objects. */
  fill(store: Store): void {
    let after = ''
    for (let more = true; more; ) {
      const page = store.list({
        prefix: this.prefix,
        ...(after !== '' && { after }),
        limit: pageSize,
        resourceVersion: store.resourceVersion,
      })
      for (const { key, value } of page.items) {
        const object = parseJson(value) as unknown as KubernetesObject
        for (const allocated of this.valuesOf(object)) this.take(allocated, object.metadata)
        after = key
      }
      more = page.more
    }
  }

  /** Whether no object has the value. As in kube-apiserver, a create of an object that exists finds its values taken. */
  isFree(value: string, context: StrategyContext): boolean {
    const owner = this.owners.get(value)
    if (owner === undefined) return true
    const stored = context.transaction.get(`${this.prefix}${owner.namespace ?? ''}/${owner.name ?? ''}`)
    if (stored !== undefined && this.valuesOf(parseJson(stored.value) as unknown as KubernetesObject).includes(value))
      return false
    this.owners.delete(value)
    return true
  }

  /** Allocates the value to an object. */
  take(value: string, metadata: ObjectMeta): void {
    const { namespace, name } = metadata
    // A name that is not generated yet is read later from the same metadata.
    const owner = name === undefined || name === '' ? metadata : { name, ...(namespace !== undefined && { namespace }) }
    this.owners.set(value, owner)
  }
}

const known = new WeakMap<Store, Map<ValuesOf, Allocations>>()

/** Returns the allocations of a store. The first use reads all stored objects. */
export function allocationsOf(context: StrategyContext, prefix: string, valuesOf: ValuesOf): Allocations {
  const { store } = context.services
  let all = known.get(store)
  if (all === undefined) {
    all = new Map()
    known.set(store, all)
  }
  let allocations = all.get(valuesOf)
  if (allocations === undefined) {
    allocations = new Allocations(prefix, valuesOf)
    allocations.fill(store)
    all.set(valuesOf, allocations)
  }
  return allocations
}

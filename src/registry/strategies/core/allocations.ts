/** Which Service has which address and node port: remembered for each store, so that a value is never given twice. */
import { parseJson } from '../../../go/json.ts'
import type { KubernetesObject, ObjectMeta } from '../../../meta/object-meta.ts'
import type { Store } from '../../../storage/store.ts'
import type { StrategyContext } from '../../hooks.ts'

/** Whose a value is: the object's metadata, which may still get its name. */
type Owner = Pick<ObjectMeta, 'namespace' | 'name'>

/** What values an object holds. */
export type ValuesOf = (object: KubernetesObject) => readonly string[]

const pageSize = 500

/**
 * Values given to the objects of one collection. A value stays remembered when its object goes away or was refused:
 * whether it is free is looked up where it is asked for, so nothing need be told of deletions.
 */
export class Allocations {
  private readonly owners = new Map<string, Owner>()
  private readonly prefix: string
  private readonly valuesOf: ValuesOf

  constructor(prefix: string, valuesOf: ValuesOf) {
    this.prefix = prefix
    this.valuesOf = valuesOf
  }

  /** Remembers what the store holds. */
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
        for (const held of this.valuesOf(object)) this.take(held, object.metadata)
        after = key
      }
      more = page.more
    }
  }

  /** Whether nobody but `asking` holds the value. */
  isFree(value: string, asking: ObjectMeta, context: StrategyContext): boolean {
    const owner = this.owners.get(value)
    if (owner === undefined) return true
    if (owner.name === asking.name && owner.namespace === asking.namespace) return true
    const stored = context.transaction.get(`${this.prefix}${owner.namespace ?? ''}/${owner.name ?? ''}`)
    if (stored !== undefined && this.valuesOf(parseJson(stored.value) as unknown as KubernetesObject).includes(value))
      return false
    this.owners.delete(value)
    return true
  }

  /** Gives the value away. */
  take(value: string, metadata: ObjectMeta): void {
    const { namespace, name } = metadata
    // A name that is still to be generated is read when it is needed.
    const owner = name === undefined || name === '' ? metadata : { name, ...(namespace !== undefined && { namespace }) }
    this.owners.set(value, owner)
  }
}

const known = new WeakMap<Store, Map<ValuesOf, Allocations>>()

/** The allocations of a store, filled at their first use. */
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

/** A simple model of a store's content, and generators of random commands for the store and the model. */
import fc from 'fast-check'
import type { EventType, PageRequest, Store, Stored, StoreEvent, Transaction } from '../../src/storage/store.ts'

/** Returns the value of an object, with the members that the store needs. */
export function objectJson(name: string, resourceVersion: number, data = ''): string {
  return JSON.stringify({ metadata: { name, resourceVersion: String(resourceVersion) }, data })
}

/** Creates or replaces an object within an operation. */
export function put(transaction: Transaction, key: string, data = '', labels = ''): Stored {
  const resourceVersion = transaction.nextResourceVersion()
  const stored = { key, resourceVersion, value: objectJson(key, resourceVersion, data), labels }
  transaction.put(stored)
  return stored
}

/** Deletes an object within an operation, if it exists. */
export function remove(transaction: Transaction, key: string): Stored | undefined {
  const last = transaction.get(key)
  if (last === undefined) return undefined
  const resourceVersion = transaction.nextResourceVersion()
  const stored = { ...last, resourceVersion, value: objectJson(key, resourceVersion, 'deleted') }
  transaction.remove(stored)
  return stored
}

/** All states of the store by version. */
export class Model {
  readonly events: StoreEvent[] = []

  /** Returns the state at a version, in the order of keys. */
  at(resourceVersion: number): Stored[] {
    const state = new Map<string, Stored>()
    for (const { type, object } of this.events) {
      if (object.resourceVersion > resourceVersion) break
      if (type === 'DELETED') state.delete(object.key)
      else state.set(object.key, object)
    }
    return [...state.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
  }

  record(type: EventType, object: Stored): void {
    const last = this.events.findLast((event) => event.object.key === object.key)
    this.events.push({ type, object, previous: last?.type === 'DELETED' ? undefined : last?.object })
  }
}

/** A random change of one key. */
export interface Command {
  readonly key: string
  readonly change: 'put' | 'remove' | 'fail'
  readonly labels: string
}

/** Keys of two resources, one of them in two namespaces; some are prefixes of others. */
const keys = ['pods/a/x', 'pods/a/x-1', 'pods/a/y', 'pods/ab/x', 'pods/b/x', 'pods/b/z', 'nodes/a', 'podsets.apps/a/x']

/** Random commands, in groups that are written at the same time. */
export const commandGroups: fc.Arbitrary<Command[][]> = fc.array(
  fc.array(
    fc.record<Command>({
      key: fc.constantFrom(...keys),
      change: fc.constantFrom('put', 'put', 'put', 'remove', 'fail'),
      labels: fc.constantFrom('', '{"on":"yes"}'),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  { minLength: 1, maxLength: 12 },
)

/** Writes a group, each command as an operation of its own, and records the changes in the model. */
export async function writeGroup(store: Store, model: Model, group: readonly Command[]): Promise<void> {
  const writes = group.map(({ key, change, labels }) =>
    store.write((transaction) => {
      const existed = transaction.get(key) !== undefined
      if (change === 'remove') {
        const removed = remove(transaction, key)
        return removed && { type: 'DELETED' as const, object: removed }
      }
      const object = put(transaction, key, change, labels)
      if (change === 'fail') throw new Error('refused')
      return { type: existed ? ('MODIFIED' as const) : ('ADDED' as const), object }
    }),
  )
  for (const result of await Promise.allSettled(writes)) {
    if (result.status === 'fulfilled' && result.value !== undefined) model.record(result.value.type, result.value.object)
  }
}

/** Returns all pages of a list. */
export function listAll(store: Store, request: Omit<PageRequest, 'after'>): Stored[] {
  const all: Stored[] = []
  for (let after: string | undefined; ; ) {
    const page = store.list(after === undefined ? request : { ...request, after })
    all.push(...page.items)
    after = page.items.at(-1)?.key
    if (!page.more) return all
  }
}

/** Returns the values of all pages of a joined list. */
export function listAllJoined(store: Store, request: Omit<PageRequest, 'after'>): unknown[] {
  const all: unknown[] = []
  for (let after: string | undefined; ; ) {
    const page = store.listJoined(after === undefined ? request : { ...request, after })
    const values = JSON.parse(`[${new TextDecoder().decode(page.bytes)}]`)
    if (values.length !== page.count) throw new Error(`${page.count} counted, ${values.length} joined`)
    all.push(...values)
    after = page.lastKey
    if (!page.more) return all
  }
}

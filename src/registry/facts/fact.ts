/**
 * Facts about other collections that decide about a write: lookups that are read with the client of the cluster. The Worker finds them
 * out, or the object that holds all collections of its cluster.
 */
import type { CollectionClient } from '../../clusters/collection-client.ts'
import type { WorkerLookup } from '../../meta/lookups.ts'

/** The reader of facts: the Worker, or the object that holds all collections. */
export interface FactReader {
  readonly collections: CollectionClient
  /** Makes the ServiceAccount `default` of a namespace if the namespace is active. Resolves to whether it may be there now. */
  readonly createDefaultAccount: (namespace: string) => Promise<boolean>
  /** Remembers the result of `read` for a moment, and forgets it after a write to the collection; absent if nothing is remembered. */
  readonly remember?: <T>(collection: string, key: string, read: () => Promise<T | undefined>) => Promise<T | undefined>
}

/** The definition of a fact. Parameters and result are JSON. */
interface FactDefinition<Parameters, Result> {
  readonly name: string
  /** A key that is shorter than the parameters, for facts that every create of a resource needs. */
  readonly keyOf?: (parameters: Parameters) => string
  /** Reads the fact; undefined if its object does not exist. */
  readonly read: (collections: CollectionClient, parameters: Parameters) => Promise<Result | undefined>
  /** The fact without its object. */
  readonly absent: Result
  /** The collection of the object, as the prefix of its keys, if the fact may be remembered. */
  readonly collection?: string
  /** Makes the object that does not exist. Resolves to whether it may be there now. */
  readonly create?: (host: FactReader, parameters: Parameters) => Promise<boolean>
}

/** A fact: how it is asked for, and how it is found out. */
export interface Fact<Parameters, Result> {
  readonly name: string
  /** Makes the lookup. */
  readonly lookup: (parameters: Parameters) => WorkerLookup<Result>
  /** Finds it out. @throws ApiError with which the write fails */
  readonly find: (host: FactReader, parameters: Parameters) => Promise<Result>
}

/**
 * Defines a fact.
 * @example
 * export const node = defineFact<{ readonly name: string }, PodNode | null>({
 *   name: 'node',
 *   collection: 'nodes',
 *   absent: null,
 *   read: (collections, { name }) => findObject(collections, { resource: 'nodes', namespace: '', name }),
 * })
 */
export function defineFact<Parameters, Result>(definition: FactDefinition<Parameters, Result>): Fact<Parameters, Result> {
  const { name, absent, collection, create } = definition
  const keyOf = definition.keyOf ?? ((parameters: Parameters) => `${name} ${JSON.stringify(parameters)}`)
  const find = async (host: FactReader, parameters: Parameters): Promise<Result> => {
    const read = () => definition.read(host.collections, parameters)
    const { remember } = host
    const attempt =
      collection === undefined || remember === undefined ? read : () => remember(collection, keyOf(parameters), read)
    const result = await attempt()
    if (result !== undefined || create === undefined || !(await create(host, parameters))) return result ?? absent
    return (await attempt()) ?? absent
  }
  const lookup = (parameters: Parameters): WorkerLookup<Result> => ({
    where: 'worker',
    isFact: true,
    key: keyOf(parameters),
    name,
    parameters,
  })
  return { name, lookup, find }
}

/** Parts of a long write that are computed outside of its commit, each in a slice of its own. */
import { nextSlice } from '../meta/slices.ts'
import type { Stored } from '../storage/store.ts'
import type { Registry } from './registry.ts'

/** The length in characters from which the parts of a write would delay other requests: each of them takes some hundred milliseconds. */
const minLongWrite = 256 * 1024

/** Whether a write with this body, or of an object that is stored as this text, is long. */
export const isLongWrite = (text: { readonly length: number }): boolean => text.length >= minLongWrite

/** Returns the scope of a write of this stored object. A long one makes the write long: a small patch of it has the same parts. */
export function scopeOfStored<S extends { readonly registry: Registry }>(scope: S, existing: Stored | undefined): S {
  if (existing === undefined || !isLongWrite(existing.value)) return scope
  return { ...scope, registry: { ...scope.registry, isLongWrite: true } }
}

/** The part of a registry that tells whether its operation is long, and has the results of its lookups. */
type Writing = Pick<Registry, 'isLongWrite' | 'lookups'>

/**
 * Returns the result of a part of a write. In a long one it is a lookup: the commit is rolled back, the part is computed in a slice of
 * its own, and the commit runs again with the result.
 * @param inputs returns all that the result depends on within the operation, as a value that can be written as JSON
 * @param compute is synchronous, and changes none of its inputs
 * @throws MissingLookups if the part of a long write is not computed yet
 */
export function apart<T>({ isLongWrite: isLong, lookups }: Writing, part: string, inputs: () => unknown, compute: () => T): T {
  if (isLong !== true || lookups === undefined) return compute()
  const key = `${part} ${JSON.stringify(inputs())}`
  const resolve = async (): Promise<{ readonly result: T }> => {
    await nextSlice()
    return { result: compute() }
  }
  return lookups.get({ where: 'object', key, resolve })
}

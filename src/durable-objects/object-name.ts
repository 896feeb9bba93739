/** The names of Durable Objects. */
import { prefixOfCollection } from '../clusters/placement.ts'
import type { Database } from '../storage/database.ts'

/**
 * Returns the name of a Durable Object. An object without a name would make itself another collection: its first resourceVersion,
 * its controllers and its place in the garbage collector's messages follow from the name.
 */
export function knownName({ name }: Database): string {
  if (name !== undefined) return name
  throw new Error('a Durable Object that was never written to can only be opened by its name, not by its ID')
}

/** Returns the collection of a Durable Object's name. */
export function collectionOf(name: string): { readonly group: string; readonly resource: string } {
  const [, group = '', resource = ''] = name.split('/')
  return { group, resource }
}

/** Returns the prefix of the collection with a place in the table of bootstrap objects; undefined for the control object. */
export function collectionOfPlace(place: string): string | undefined {
  const slash = place.indexOf('/')
  return slash < 0 ? undefined : prefixOfCollection(place.slice(0, slash), place.slice(slash + 1))
}

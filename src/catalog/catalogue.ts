/** The built-in kinds that are served, found by group, version and resource. */
import { TypeResolver } from '../schema/resolve.ts'
import { conversions } from './conversion/conversions.ts'
import { served, typeTables } from './generated/served.ts'
import { type Kind, makeKind } from './kind.ts'

const resolver = new TypeResolver(typeTables)

function builtIn(): Map<string, Kind> {
  const kinds = new Map<string, Kind>()
  for (const table of served) {
    for (const resource of table.resources) {
      const key = `${table.group}/${table.version}/${resource.resource}`
      kinds.set(
        key,
        makeKind(table, resource, (reference) => resolver.resolve(reference), conversions[key]),
      )
    }
  }
  return kinds
}

const kinds = builtIn()

/** The kind of a resource; undefined where the version does not have it. */
export function kindOf(group: string, version: string, resource: string): Kind | undefined {
  return kinds.get(`${group}/${version}/${resource}`)
}

/** Every kind that is served. */
export function allKinds(): Iterable<Kind> {
  return kinds.values()
}

/** The resolved type of a reference such as `meta/v1.DeleteOptions`. */
export function typeOf(reference: string): ReturnType<TypeResolver['resolve']> {
  return resolver.resolve(reference)
}

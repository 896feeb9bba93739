/** The built-in kinds that are served, found by group, version and resource. */
import { TypeResolver } from '../schema/resolve.ts'
import { conversions } from './conversion/conversions.ts'
import { served, typeTables } from './generated/served.ts'
import type { Kind } from './kind.ts'
import { makeKind } from './make-kind.ts'

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

const bodyKinds = new Map<string, Kind>()

/**
 * The kind of the bodies of a subresource: of most the resource's own, of some another one that has no collection
 * (Scale, Eviction, Binding).
 * @throws Error for a subresource that the kind does not have
 */
export function bodyKindOf(kind: Kind, subresource: string): Kind {
  const said = kind.subresources.get(subresource)?.kind
  if (said === undefined) {
    if (subresource === '') return kind
    throw new Error(`${kind.resource} have no subresource ${subresource}`)
  }
  const { group = kind.group, version = kind.version } = said
  if (said.kind === kind.kind && group === kind.group && version === kind.version) return kind
  const key = `${group}/${version}/${said.kind} ${kind.namespaced}`
  let body = bodyKinds.get(key)
  if (body === undefined) {
    const table = served.find((candidate) => candidate.group === group && candidate.version === version)
    if (table === undefined) throw new Error(`no table of ${key}`)
    const resource = { resource: subresource, singular: subresource, kind: said.kind, namespaced: kind.namespaced, verbs: [] }
    body = makeKind(table, resource, (reference) => resolver.resolve(reference), undefined)
    bodyKinds.set(key, body)
  }
  return body
}

/** Every kind that is served. */
export function allKinds(): Iterable<Kind> {
  return kinds.values()
}

/** The resolved type of a reference such as `meta/v1.DeleteOptions`. */
export function typeOf(reference: string): ReturnType<TypeResolver['resolve']> {
  return resolver.resolve(reference)
}

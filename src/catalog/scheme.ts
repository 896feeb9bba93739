/** The served built-in kinds, found by group, version and resource. */
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

/**
 * Returns the kind of a resource, or undefined if the version does not have the resource.
 * @example
 * kindOf('apps', 'v1', 'deployments')?.kind // 'Deployment'
 * kindOf('apps', 'v1beta1', 'deployments') // undefined
 */
export function kindOf(group: string, version: string, resource: string): Kind | undefined {
  return kinds.get(`${group}/${version}/${resource}`)
}

const bodyKinds = new Map<string, Kind>()

/**
 * Returns the kind of a subresource's bodies: usually the resource's own kind, else a kind without a collection (Scale, Eviction,
 * Binding).
 * @throws Error for a subresource that the kind does not have
 */
export function bodyKindOf(kind: Kind, subresource: string): Kind {
  const bodyKind = kind.subresources.get(subresource)?.kind
  if (bodyKind === undefined) {
    if (subresource === '') return kind
    throw new Error(`${kind.resource} have no subresource ${subresource}`)
  }
  const { group = kind.group, version = kind.version } = bodyKind
  if (bodyKind.kind === kind.kind && group === kind.group && version === kind.version) return kind
  const key = `${group}/${version}/${bodyKind.kind} ${kind.namespaced}`
  let body = bodyKinds.get(key)
  if (body === undefined) {
    const table = served.find((candidate) => candidate.group === group && candidate.version === version)
    if (table === undefined) throw new Error(`no table of ${key}`)
    const resource = { resource: subresource, singular: subresource, kind: bodyKind.kind, namespaced: kind.namespaced, verbs: [] }
    body = makeKind(table, resource, (reference) => resolver.resolve(reference), undefined)
    bodyKinds.set(key, body)
  }
  return body
}

/** Yields every served built-in kind. */
export function allKinds(): Iterable<Kind> {
  return kinds.values()
}

/** Returns the resolved type of a reference such as `meta/v1.DeleteOptions`. */
export function typeOf(reference: string): ReturnType<TypeResolver['resolve']> {
  return resolver.resolve(reference)
}

/** The built-in kinds, found by group, version and resource. */
import { TypeResolver } from '../schema/resolve.ts'
import type { ResourceTable, VersionTable } from '../schema/tables.ts'
import { changes } from './conversion/changes.ts'
import { conversions } from './conversion/conversions.ts'
import { versionConversion } from './conversion/version-conversion.ts'
import { served, typeTables } from './generated/served.ts'
import { unserved } from './generated/unserved.ts'
import type { Conversion, Kind, StorageLocation } from './kind.ts'
import { makeKind } from './make-kind.ts'
import { storageLocationOf } from './storage-location.ts'

/** The tables of all versions, by `<package>/<version>`. */
export const allTables: ReadonlyMap<string, VersionTable> = new Map([
  ...typeTables,
  ...unserved.map((table) => [`${table.package}/${table.version}`, table] as const),
])

const resolver = new TypeResolver(allTables)
const resolve = (reference: string): ReturnType<TypeResolver['resolve']> => resolver.resolve(reference)

const keyOf = (group: string, version: string, resource: string): string => `${group}/${version}/${resource}`

function builtIn(): Map<string, Kind> {
  const kinds = new Map<string, Kind>()
  for (const table of served) {
    for (const resource of table.resources) {
      const key = keyOf(table.group, table.version, resource.resource)
      kinds.set(key, makeKind(table, resource, storageLocationOf(table, resource), resolve, conversions[key]))
    }
  }
  return kinds
}

const kinds = builtIn()

/** A resource of a version that is not served by default. Its Kind is made on first use. */
interface UnservedResource {
  readonly table: VersionTable
  readonly resource: ResourceTable
  kind?: Kind
}

let unservedResources: ReadonlyMap<string, UnservedResource> | undefined

function findUnserved(): ReadonlyMap<string, UnservedResource> {
  unservedResources ??= new Map(
    unserved.flatMap((table) =>
      table.resources.map((resource) => [keyOf(table.group, table.version, resource.resource), { table, resource }] as const),
    ),
  )
  return unservedResources
}

/** Returns the kind of the version in which objects are stored. */
function storageKind({ group, version, resource }: StorageLocation): Kind {
  const kind = kindOf(group, version, resource)
  if (kind === undefined) throw new Error(`no kind of ${resource} in ${group}/${version}`)
  return kind
}

function unservedConversion(key: string, location: StorageLocation): Conversion | undefined {
  if (key === keyOf(location.group, location.version, location.resource)) return undefined
  const written = conversions[key]
  if (written !== undefined) return written
  const own = (): Kind => {
    const [group = '', version = '', resource = ''] = key.split('/')
    return storageKind({ ...location, group, version, resource })
  }
  return versionConversion(own, () => storageKind(location), changes[key])
}

function unservedKind(key: string): Kind | undefined {
  const found = findUnserved().get(key)
  if (found === undefined) return undefined
  if (found.kind === undefined) {
    const location = storageLocationOf(found.table, found.resource)
    found.kind = makeKind(found.table, found.resource, location, resolve, unservedConversion(key, location))
  }
  return found.kind
}

/**
 * Returns the kind of a resource, or undefined if the version never had the resource. The kind may be one that is not served: an
 * older or newer version, or a resource that was removed.
 * @example
 * kindOf('apps', 'v1', 'deployments')?.kind // 'Deployment'
 * kindOf('apps', 'v1beta1', 'deployments')?.conversion // to and from apps/v1
 * kindOf('apps', 'v1', 'pods') // undefined
 */
export function kindOf(group: string, version: string, resource: string): Kind | undefined {
  const key = keyOf(group, version, resource)
  return kinds.get(key) ?? unservedKind(key)
}

/** Whether the kind is served by default. */
export const isServedByDefault = (kind: Kind): boolean => kinds.get(keyOf(kind.group, kind.version, kind.resource)) === kind

/** Yields every built-in kind that is not served by default. */
export function* unservedKinds(): Iterable<Kind> {
  for (const key of findUnserved().keys()) yield kindOf(...(key.split('/') as [string, string, string])) as Kind
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
    const table = [...allTables.values()].find((candidate) => candidate.group === group && candidate.version === version)
    if (table === undefined) throw new Error(`no table of ${key}`)
    const resource = { resource: subresource, singular: subresource, kind: bodyKind.kind, namespaced: kind.namespaced, verbs: [] }
    body = makeKind(table, resource, storageLocationOf(table, resource), resolve, undefined)
    bodyKinds.set(key, body)
  }
  return body
}

/** Yields every built-in kind that is served by default. */
export function allKinds(): Iterable<Kind> {
  return kinds.values()
}

/** Returns the resolved type of a reference such as `meta/v1.DeleteOptions`. */
export const typeOf = resolve

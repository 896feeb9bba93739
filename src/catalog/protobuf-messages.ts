/** The protobuf messages of the catalogue. */
import { Messages } from '../protobuf/messages.ts'
import { table as discoveryTable } from './generated/apidiscovery.v2.ts'
import { table as metaV1beta1 } from './generated/meta.v1beta1.ts'
import type { Kind } from './kind.ts'
import { allTables } from './scheme.ts'

/** The tables of all kinds, plus the discovery and meta types that appear in responses. */
const tables = new Map([...allTables, ['apidiscovery/v2', discoveryTable] as const, ['meta/v1beta1', metaV1beta1] as const])

/** The messages of all types. */
export const messages: Messages = new Messages(tables)

/** The package that contains the types of a version: `core/v1` for `v1`. */
const packages = new Map(
  [...tables].map(([path, { group, version }]) => [group === '' ? version : `${group}/${version}`, path] as const),
)

/** The package of kinds that every version has, such as Status. */
const common = 'meta/v1'

const references = new Map<string, string | undefined>()

/**
 * Returns the message of a kind, by the name that the tables use: `core/v1.ConfigMap`, `meta/v1.Status`.
 * @param apiVersion '' means `v1`
 * @returns undefined if the kind has no message, as custom resources and Tables
 */
export function messageOf(apiVersion: string, kind: string): string | undefined {
  const key = `${apiVersion} ${kind}`
  if (references.has(key)) return references.get(key)
  const path = packages.get(apiVersion || 'v1')
  const found = path && [`${path}.${kind}`, `${common}.${kind}`].find((reference) => kind !== 'Table' && messages.has(reference))
  // Unknown names are not cached: clients can invent any number of them.
  if (found !== undefined) references.set(key, found)
  return found
}

const ofKinds = new WeakMap<Kind, string | false>()

/** Returns the message of a kind's objects; undefined for a custom resource. */
export function messageOfKind(kind: Kind): string | undefined {
  let found = ofKinds.get(kind)
  if (found === undefined) {
    found = messageOf(kind.apiVersion, kind.kind) ?? false
    ofKinds.set(kind, found)
  }
  return found === false ? undefined : found
}

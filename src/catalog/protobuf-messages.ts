/** What of the catalogue has a form in protobuf. */
import { Messages } from '../protobuf/messages.ts'
import { table as discoveryTable } from './generated/apidiscovery.v2.ts'
import { table as metaV1beta1 } from './generated/meta.v1beta1.ts'
import { typeTables } from './generated/served.ts'
import type { Kind } from './kind.ts'

/** Those of objects, and of what else is answered. */
const tables = new Map([...typeTables, ['apidiscovery/v2', discoveryTable] as const, ['meta/v1beta1', metaV1beta1] as const])

/** The messages of all that is served. */
export const messages: Messages = new Messages(tables)

/** Where the types of a version are: `core/v1` for `v1`. */
const packages = new Map(
  [...tables].map(([path, { group, version }]) => [group === '' ? version : `${group}/${version}`, path] as const),
)

/** Kinds that every version has, such as Status. */
const common = 'meta/v1'

const references = new Map<string, string | undefined>()

/**
 * The message of a kind, as the tables name it: `core/v1.ConfigMap`, `meta/v1.Status`.
 * @param apiVersion '' as `v1`
 * @returns undefined where there is none, as of custom resources and of Tables
 */
export function messageOf(apiVersion: string, kind: string): string | undefined {
  const key = `${apiVersion} ${kind}`
  if (references.has(key)) return references.get(key)
  const path = packages.get(apiVersion || 'v1')
  const found = path && [`${path}.${kind}`, `${common}.${kind}`].find((reference) => kind !== 'Table' && messages.has(reference))
  // What is not found may be any name that a client made up.
  if (found !== undefined) references.set(key, found)
  return found
}

const ofKinds = new WeakMap<Kind, string | false>()

/** The message of a kind's objects; undefined for a custom resource. */
export function messageOfKind(kind: Kind): string | undefined {
  let found = ofKinds.get(kind)
  if (found === undefined) {
    found = messageOf(kind.apiVersion, kind.kind) ?? false
    ofKinds.set(kind, found)
  }
  return found === false ? undefined : found
}

/** Makes Kinds from the generated tables. */
import type { ResourceTable, VersionTable } from '../schema/tables.ts'
import type { Type } from '../schema/type.ts'
import { BuiltInCodec } from './built-in-codec.ts'
import { apiVersionOf, type Conversion, type Kind, type KindFacts, type StorageLocation } from './kind.ts'

/**
 * Makes the Kind of a resource.
 * @param resolve returns the resolved type of a reference such as `apps/v1.Deployment`
 * @param conversion undefined if objects are stored in this version
 */
export function makeKind(
  table: VersionTable,
  resource: ResourceTable,
  storage: StorageLocation,
  resolve: (reference: string) => Type,
  conversion: Conversion | undefined,
): Kind {
  const apiVersion = apiVersionOf(table.group, table.version)
  let type: Type | undefined
  const facts: KindFacts = {
    group: table.group,
    version: table.version,
    apiVersion,
    kind: resource.kind,
    listKind: `${resource.kind}List`,
    resource: resource.resource,
    singular: resource.singular,
    namespaced: resource.namespaced,
    verbs: new Set(resource.verbs),
    subresources: new Map((resource.subresources ?? []).map((s) => [s.name, s])),
    lifecycle: resource.lifecycle,
    get type() {
      type ??= resolve(`${table.package}/${table.version}.${resource.kind}`)
      return type
    },
    typeMetaPrefix: `{"kind":${JSON.stringify(resource.kind)},"apiVersion":${JSON.stringify(apiVersion)},`,
    storage,
    conversion,
  }
  const kind: Kind = Object.assign(facts, { codec: new BuiltInCodec(facts), asStored: () => kind })
  return kind
}

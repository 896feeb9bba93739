/** Makes Kinds from the generated tables. */
import type { ResourceTable, VersionTable } from '../schema/tables.ts'
import type { Type } from '../schema/type.ts'
import { BuiltInCodec } from './built-in-codec.ts'
import { apiVersionOf, type Conversion, type Kind, type KindFacts, type StorageLocation } from './kind.ts'

/** Resources that are stored in another group or version, as in kube-apiserver's storage factory. */
const storedElsewhere: Readonly<Record<string, Pick<StorageLocation, 'group' | 'version' | 'resource'>>> = {
  'events.k8s.io/v1/events': { group: '', version: 'v1', resource: 'events' },
  'autoscaling/v1/horizontalpodautoscalers': { group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers' },
}

/** Resources whose prefix in kube-apiserver's etcd is not their name. */
const etcdPrefixes: Readonly<Record<string, string>> = {
  endpoints: 'services/endpoints',
  ingresses: 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
}

/** Groups that an API server of their own serves inside kube-apiserver. Their etcd prefix begins with the group. */
const separateGroups: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])

function storageOf(table: VersionTable, resource: ResourceTable): StorageLocation {
  const elsewhere = storedElsewhere[`${table.group}/${table.version}/${resource.resource}`]
  const at = elsewhere ?? { group: table.group, version: table.version, resource: resource.resource }
  return {
    ...at,
    prefix: at.group === '' ? at.resource : `${at.resource}.${at.group}`,
    etcdPrefix: separateGroups.has(table.group)
      ? `${table.group}/${resource.resource}`
      : (etcdPrefixes[resource.resource] ?? resource.resource),
  }
}

/**
 * Makes the Kind of a resource.
 * @param resolve returns the resolved type of a reference such as `apps/v1.Deployment`
 * @param conversion undefined if objects are stored in this version
 */
export function makeKind(
  table: VersionTable,
  resource: ResourceTable,
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
    storage: storageOf(table, resource),
    conversion,
  }
  const kind: Kind = Object.assign(facts, { codec: new BuiltInCodec(facts), asStored: () => kind })
  return kind
}

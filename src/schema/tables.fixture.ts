/** A few small tables for the tests in this folder. */

import { TypeResolver } from './resolve.ts'
import type { FieldTable, TypeTable, VersionTable } from './tables.ts'
import type { Struct } from './type.ts'

const optional = (type: string): FieldTable => ({ type, omitempty: true })

function table(name: string, types: { readonly [goName: string]: TypeTable }): [string, VersionTable] {
  const [folder = '', version = ''] = name.split('/')
  return [name, { group: folder === 'core' ? '' : folder, version, package: folder, resources: [], types }]
}

const meta = table('meta/v1', {
  ObjectMeta: {
    fields: {
      name: optional('string'),
      uid: optional('types.UID'),
      generation: optional('int64'),
      creationTimestamp: { type: 'meta/v1.Time', omitempty: true, omitzero: true },
      deletionTimestamp: optional('*meta/v1.Time'),
      labels: optional('map[string]string'),
      ownerReferences: { ...optional('[]meta/v1.OwnerReference'), listType: 'map', listMapKeys: ['uid'], patchMergeKey: 'uid' },
      finalizers: { ...optional('[]string'), patchStrategy: 'merge' },
    },
  },
  OwnerReference: { fields: { name: { type: 'string' }, controller: optional('*bool') }, structType: 'atomic' },
  LabelSelector: { fields: { matchLabels: optional('map[string]string') }, structType: 'atomic' },
})

const core = table('core/v1', {
  Protocol: { alias: 'string' },
  ResourceName: { alias: 'string' },
  ResourceList: { alias: 'map[core/v1.ResourceName]resource.Quantity' },
  Port: {
    fields: { port: { type: 'int32' }, protocol: { ...optional('core/v1.Protocol'), default: 'TCP' }, host: optional('string') },
  },
  Grpc: { fields: { service: { type: '*string', default: '' } } },
  Probe: { fields: { grpc: optional('*core/v1.Grpc'), period: optional('int32') } },
  Volume: { fields: { name: { type: 'string' }, hostPath: optional('*core/v1.HostPath') } },
  HostPath: { fields: { path: { type: 'string' } } },
  Container: {
    fields: {
      name: { type: 'string' },
      ports: { ...optional('[]core/v1.Port'), listType: 'map', listMapKeys: ['port', 'protocol'] },
      resources: optional('core/v1.ResourceList'),
      strategy: optional('core/v1.Probe'),
      livenessProbe: optional('*core/v1.Probe'),
    },
  },
  Thing: {
    fields: {
      kind: optional('string'),
      apiVersion: optional('string'),
      metadata: optional('meta/v1.ObjectMeta'),
      data: optional('map[string]string'),
      binaryData: optional('map[string][]byte'),
      immutable: optional('*bool'),
      replicas: optional('*int32'),
      ratio: optional('float64'),
      containers: { type: '[]core/v1.Container' },
      volumes: optional('[]core/v1.Volume'),
      selector: { type: '*meta/v1.LabelSelector' },
      target: optional('intstr.IntOrString'),
      at: optional('*meta/v1.MicroTime'),
      wait: optional('*meta/v1.Duration'),
      raw: optional('*runtime.RawExtension'),
      not: optional('*core/v1.Thing'),
      byName: optional('map[string]core/v1.Container'),
      status: optional('core/v1.Status'),
    },
  },
  Status: { fields: { ready: optional('bool') } },
})

/** Resolves the types of these tables. */
export const fixtureTypes = new TypeResolver(new Map([meta, core]))

/** A kind with a field of every sort. */
export const Thing = fixtureTypes.resolve('core/v1.Thing') as Struct

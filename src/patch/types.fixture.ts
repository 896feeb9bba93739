/** Types for tests of strategic merge: parts of a Deployment and a Service, with the real strategies and merge keys. */

import { TypeResolver } from '../schema/resolve.ts'
import type { FieldTable, VersionTable } from '../schema/tables.ts'

const merge = (type: string, patchMergeKey?: string): FieldTable => ({
  type,
  patchStrategy: 'merge',
  ...(patchMergeKey !== undefined && { patchMergeKey }),
})

const core: VersionTable = {
  group: '',
  version: 'v1',
  package: 'core',
  resources: [],
  types: {
    ObjectMeta: {
      fields: {
        name: { type: 'string' },
        labels: { type: 'map[string]string' },
        annotations: { type: 'map[string]string' },
        finalizers: merge('[]string'),
        extra: { type: 'map[string][]string' },
      },
    },
    Workload: { fields: { metadata: { type: 'core/v1.ObjectMeta' }, spec: { type: '*core/v1.WorkloadSpec' } } },
    WorkloadSpec: {
      fields: {
        replicas: { type: '*int32' },
        strategy: { type: 'core/v1.Strategy', patchStrategy: 'retainKeys' },
        selector: { type: '*core/v1.Selector', patchStrategy: 'replace' },
        containers: merge('[]core/v1.Container', 'name'),
        volumes: { type: '[]core/v1.Volume', patchStrategy: 'merge,retainKeys', patchMergeKey: 'name' },
        ports: merge('[]core/v1.Port', 'port'),
        tolerations: { type: '[]core/v1.Toleration' },
        keyless: merge('[]core/v1.Toleration'),
        template: { type: 'runtime.RawExtension' },
      },
    },
    Strategy: { fields: { type: { type: 'string' }, rollingUpdate: { type: '*core/v1.RollingUpdate' } } },
    RollingUpdate: { fields: { maxSurge: { type: 'int32' } } },
    Selector: { fields: { matchLabels: { type: 'map[string]string' } } },
    Container: {
      fields: {
        name: { type: 'string' },
        image: { type: 'string' },
        args: { type: '[]string' },
        env: merge('[]core/v1.EnvVar', 'name'),
      },
    },
    EnvVar: { fields: { name: { type: 'string' }, value: { type: 'string' } } },
    Volume: { fields: { name: { type: 'string' }, emptyDir: { type: '*core/v1.Empty' }, configMap: { type: '*core/v1.Empty' } } },
    Empty: { fields: { name: { type: 'string' } } },
    Port: { fields: { port: { type: 'int32' }, name: { type: 'string' } } },
    Toleration: { fields: { key: { type: 'string' } } },
  },
}

/** A workload with containers, volumes and ports. */
export const workload = new TypeResolver(new Map([['core/v1', core]])).resolve('core/v1.Workload')

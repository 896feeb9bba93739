/** The collections that are filled while the memory of an isolate is measured. */

/** A collection to be filled. */
export interface Target {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  readonly isCustom: boolean
}

const namespace = '/namespaces/default'
export const builtIn: readonly Target[] = [
  [`/api/v1${namespace}/configmaps`, {}],
  [`/api/v1${namespace}/secrets`, {}],
  [`/api/v1${namespace}/serviceaccounts`, {}],
  [`/api/v1${namespace}/endpoints`, {}],
  [`/apis/coordination.k8s.io/v1${namespace}/leases`, {}],
  [`/apis/apps/v1${namespace}/controllerrevisions`, { revision: 1, data: {} }],
  [`/apis/networking.k8s.io/v1/ingressclasses`, { spec: { controller: 'example.com/a' } }],
  [`/apis/storage.k8s.io/v1/storageclasses`, { provisioner: 'example.com/a' }],
  [`/apis/storage.k8s.io/v1/csinodes`, { spec: { drivers: [] } }],
  [`/apis/discovery.k8s.io/v1${namespace}/endpointslices`, { addressType: 'IPv4', endpoints: [] }],
].map(([path, body]) => ({ path, body, isCustom: false }) as Target)

export const customTarget = (index: number): Target => ({
  path: `/apis/example.com/v1${namespace}/lamps${index}`,
  body: { apiVersion: 'example.com/v1', kind: `Lamp${index}` },
  isCustom: true,
})

export const definition = (index: number): object => ({
  metadata: { name: `lamps${index}.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: `lamps${index}`, singular: `lamp${index}`, kind: `Lamp${index}`, listKind: `Lamp${index}List` },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
})

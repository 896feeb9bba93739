/**
 * The APIServices of custom resources: one for each group version that a CustomResourceDefinition serves. Pure: the wiring writes
 * them. Follows the controllers crd-autoregister and autoregister of kube-apiserver.
 */
import type { JsonObject } from '../../go/json-value.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'

/** The label of APIServices that are created and deleted with the version they stand for. */
const automanaged = 'kube-aggregator.kubernetes.io/automanaged'

/** The discovery priorities of custom resource groups and their versions. */
const priorities = { groupPriorityMinimum: 1000, versionPriority: 100 }

/** A served group version. */
export interface ServedVersion {
  readonly group: string
  readonly version: string
}

/** The APIServices to write. */
export interface Registration {
  readonly created: readonly (JsonObject & { metadata: JsonObject })[]
  /** Names of the APIServices to correct, with their new specs. */
  readonly changed: readonly { readonly name: string; readonly spec: JsonObject }[]
  /** Names. */
  readonly deleted: readonly string[]
}

const specOf = ({ group, version }: ServedVersion): JsonObject => ({ group, version, ...priorities })

const isOurs = ({ metadata }: KubernetesObject): boolean => metadata.labels?.[automanaged] === 'true'

/** Whether the fields are equal, in any order. */
function isSameSpec(service: KubernetesObject, wanted: JsonObject): boolean {
  const spec = (service as { spec?: JsonObject }).spec ?? {}
  return Object.keys(spec).length === Object.keys(wanted).length && Object.keys(wanted).every((key) => spec[key] === wanted[key])
}

/**
 * Decides which APIServices to create, change and delete.
 * @param served the group versions that definitions serve
 * @param services all APIServices; those without the automanaged label are left alone
 */
export function reconcile(served: readonly ServedVersion[], services: readonly KubernetesObject[]): Registration {
  const wanted = new Map(served.map((each) => [`${each.version}.${each.group}`, specOf(each)]))
  const names = new Set(services.map(({ metadata }) => metadata.name ?? ''))
  const own = services.filter(isOurs).map((service) => ({ service, name: service.metadata.name ?? '' }))
  return {
    created: [...wanted]
      .filter(([name]) => !names.has(name))
      .map(([name, spec]) => ({ metadata: { name, labels: { [automanaged]: 'true' } }, spec })),
    changed: own.flatMap(({ service, name }) => {
      const spec = wanted.get(name)
      return spec === undefined || isSameSpec(service, spec) ? [] : [{ name, spec }]
    }),
    deleted: own.filter(({ name }) => !wanted.has(name)).map(({ name }) => name),
  }
}

/**
 * Which API services stand for custom resources: one for each version of a group that a definition serves. Pure: the wiring
 * writes them. Follows the controllers crd-autoregister and autoregister of kube-apiserver.
 */
import type { JsonObject } from '../../go/json-value.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'

/** By this label an API service says that it comes and goes with what it stands for. */
const automanaged = 'kube-aggregator.kubernetes.io/automanaged'

/** Where groups of custom resources stand among all groups, and their versions among each other. */
const priorities = { groupPriorityMinimum: 1000, versionPriority: 100 }

/** A version of a group that is served. */
export interface ServedVersion {
  readonly group: string
  readonly version: string
}

/** What is to be done. */
export interface Registration {
  readonly created: readonly (JsonObject & { metadata: JsonObject })[]
  /** The names of those to be put right, with the spec that they are to have. */
  readonly changed: readonly { readonly name: string; readonly spec: JsonObject }[]
  /** Names. */
  readonly deleted: readonly string[]
}

const specOf = ({ group, version }: ServedVersion): JsonObject => ({ group, version, ...priorities })

const isOurs = ({ metadata }: KubernetesObject): boolean => metadata.labels?.[automanaged] === 'true'

/** Whether the fields are the same; their order is none of anybody's business. */
function isSameSpec(service: KubernetesObject, wanted: JsonObject): boolean {
  const spec = (service as { spec?: JsonObject }).spec ?? {}
  return Object.keys(spec).length === Object.keys(wanted).length && Object.keys(wanted).every((key) => spec[key] === wanted[key])
}

/**
 * @param served what the definitions serve
 * @param services all API services; those that somebody else made are left alone
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

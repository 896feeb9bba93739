/** The evaluators of all kinds. Follows NewEvaluators of k8s.io/kubernetes/pkg/quota/v1/evaluator/core and its update filter. */
import type { Evaluator } from '../evaluator.ts'
import { persistentVolumeClaims } from './persistent-volume-claims.ts'
import { pods } from './pods.ts'
import { resourceClaims } from './resource-claims.ts'
import { services } from './services.ts'

/** The prefix of the names of quotas on the number of objects. */
const countPrefix = 'count/'

/** Evaluators by collection: `<resource>[.<group>]`. */
const special: Readonly<Record<string, Evaluator>> = {
  persistentvolumeclaims: persistentVolumeClaims,
  pods,
  'resourceclaims.resource.k8s.io': resourceClaims,
  services,
}

/** Collections whose objects are also counted under the name of the resource. */
const aliased: ReadonlySet<string> = new Set(['configmaps', 'replicationcontrollers', 'resourcequotas', 'secrets'])

/** Collections whose objects no quota limits. */
const ignored: ReadonlySet<string> = new Set(['bindings', 'events', 'events.events.k8s.io'])

/** The resources with special evaluators, with the test whether one of them tracks a name. */
const specialEntries = Object.entries(special)

function countEvaluator(collection: string): Evaluator {
  const counted = [`${countPrefix}${collection}`, ...(aliased.has(collection) ? [collection] : [])]
  const usage = Object.fromEntries(counted.map((name) => [name, '1']))
  return {
    tracks: (name) => counted.includes(name),
    handles: ({ operation, subresource }) => operation === 'CREATE' && subresource === '',
    factsOf: () => ({ usage }),
    counted,
    isByNumber: true,
  }
}

/**
 * Returns the evaluator of a collection; undefined if no quota limits its objects.
 * @param collection the prefix of its keys, `<resource>[.<group>]`, of a namespaced resource
 */
export function evaluatorOf(collection: string): Evaluator | undefined {
  if (ignored.has(collection)) return undefined
  return Object.hasOwn(special, collection) ? special[collection] : countEvaluator(collection)
}

/** Returns the collections whose objects the quota on a resource may limit. They may not exist. */
export function collectionsTracking(name: string): readonly string[] {
  const found = specialEntries.filter(([, { tracks }]) => tracks(name)).map(([collection]) => collection)
  if (found.length > 0) return found
  if (aliased.has(name)) return [name]
  const counted = name.startsWith(countPrefix) ? name.slice(countPrefix.length) : ''
  return counted === '' || ignored.has(counted) ? [] : [counted]
}

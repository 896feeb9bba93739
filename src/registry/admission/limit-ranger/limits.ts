/** Finds the reasons for which a LimitRange rejects a Pod or a claim. Follows the plugin LimitRanger of k8s.io/kubernetes. */
import type {
  LimitRangeItem,
  LimitRangeSpec,
  PersistentVolumeClaim,
  Pod,
  ResourceRequirements,
} from '../../../catalog/generated/types/core.v1.ts'
import { totalOfContainers } from '../../../catalog/validation/pod/total-resources.ts'
import { type Amounts, type Constraint, maximum, maximumRatio, maximumRequest, minimum } from './constraints.ts'

type BoundName = 'min' | 'max' | 'maxLimitRequestRatio'
type Constraints = readonly (readonly [bounds: BoundName, constraint: Constraint])[]

const ofPods: Constraints = [
  ['min', minimum],
  ['max', maximum],
  ['maxLimitRequestRatio', maximumRatio],
]

const ofClaims: Constraints = [
  ['min', minimum],
  ['max', maximumRequest],
]

function refusals(item: LimitRangeItem, constraints: Constraints, amounts: Amounts): string[] {
  return constraints.flatMap(([bounds, constraint]) =>
    Object.entries(item[bounds] ?? {}).flatMap(
      ([resource, enforced]) => constraint({ type: item.type, resource, enforced }, amounts) ?? [],
    ),
  )
}

const amountsOf = ({ requests = {}, limits = {} }: Partial<ResourceRequirements> = {}): Amounts => ({ requests, limits })

/** The resources whose amounts at the level of the Pod replace the sum of its containers. */
const ofPodLevel: ReadonlySet<string> = new Set(['cpu', 'memory'])

function podAmounts({ spec }: Pod): Amounts {
  const total = (which: keyof Amounts): Record<string, string> => {
    const own = Object.entries(spec.resources?.[which] ?? {}).filter(([name]) => ofPodLevel.has(name))
    return Object.fromEntries([...totalOfContainers(spec, which), ...own])
  }
  return { requests: total('requests'), limits: total('limits') }
}

/** Returns the reasons for which a LimitRange rejects a Pod, resources in the order of their names. */
export function podRefusals(pod: Pod, { limits }: LimitRangeSpec): string[] {
  const containers = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])]
  return (limits ?? []).flatMap((item) => {
    if (item.type === 'Container') return containers.flatMap(({ resources }) => refusals(item, ofPods, amountsOf(resources)))
    return item.type === 'Pod' ? refusals(item, ofPods, podAmounts(pod)) : []
  })
}

/** Returns the reasons for which a LimitRange rejects a PersistentVolumeClaim. Limits of a claim do not count. */
export function claimRefusals({ spec }: PersistentVolumeClaim, { limits }: LimitRangeSpec): string[] {
  const amounts: Amounts = { requests: spec.resources?.requests ?? {}, limits: {} }
  return (limits ?? []).flatMap((item) => (item.type === 'PersistentVolumeClaim' ? refusals(item, ofClaims, amounts) : []))
}

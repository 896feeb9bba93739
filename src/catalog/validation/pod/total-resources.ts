/** The requests and limits of all containers of a Pod together. Follows AggregateContainerRequests of k8s.io/component-helpers. */
import { addQuantities, compareQuantities } from '../../../meta/quantity.ts'
import type { PodSpec } from '../../generated/types/core.v1.ts'

type Amounts = Readonly<Record<string, string>>

function sumOf(lists: readonly Amounts[]): Map<string, string> {
  const sum = new Map<string, string>()
  for (const list of lists) {
    for (const [name, amount] of Object.entries(list)) {
      const before = sum.get(name)
      sum.set(name, before === undefined ? amount : addQuantities(before, amount))
    }
  }
  return sum
}

/** Raises the amounts to those of the other list. */
function raise(amounts: Map<string, string>, other: ReadonlyMap<string, string>): void {
  for (const [name, amount] of other) {
    const before = amounts.get(name)
    if (before === undefined || compareQuantities(amount, before) > 0) amounts.set(name, amount)
  }
}

/**
 * Returns the requests or limits of the containers that run together, sidecars included, or those during initialization if they
 * are higher. A sum has the format of its first amount: those of containers come before those of sidecars.
 */
export function totalOfContainers(spec: PodSpec, which: 'limits' | 'requests'): Map<string, string> {
  const sidecars: Amounts[] = []
  const first = new Map<string, string>()
  for (const { resources, restartPolicy } of spec.initContainers ?? []) {
    const own = resources[which] ?? {}
    if (restartPolicy === 'Always') sidecars.push(own)
    raise(first, sumOf(restartPolicy === 'Always' ? sidecars : [own, ...sidecars]))
  }
  const total = sumOf([...(spec.containers ?? []).map(({ resources }) => resources[which] ?? {}), ...sidecars])
  raise(total, first)
  return total
}

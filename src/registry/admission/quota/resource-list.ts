/** Arithmetic on lists of resources. Follows resources.go of k8s.io/apiserver/pkg/quota/v1. */
import type { ResourceList } from '../../../clusters/quota-messages.ts'
import { ownValue } from '../../../go/own-value.ts'
import { addQuantities, compareQuantities, subtractQuantities } from '../../../meta/quantity.ts'

const isPositive = (quantity: string): boolean => compareQuantities(quantity, '0') > 0

/** Returns the names of the resources, sorted. */
export const resourceNames = (list: ResourceList = {}): string[] => Object.keys(list).sort()

/** Returns the sums of both lists. */
export function addLists(a: ResourceList, b: ResourceList): ResourceList {
  const sums: Record<string, string> = { ...a }
  for (const [name, quantity] of Object.entries(b)) {
    const before = ownValue(a, name)
    sums[name] = before === undefined ? quantity : addQuantities(before, quantity)
  }
  return sums
}

/** Returns the larger quantity of each resource. */
export function maximumOf(a: ResourceList, b: ResourceList = {}): ResourceList {
  const larger: Record<string, string> = { ...a }
  for (const [name, quantity] of Object.entries(b)) {
    const other = ownValue(a, name)
    if (other === undefined || compareQuantities(quantity, other) > 0) larger[name] = quantity
  }
  return larger
}

/** Returns `a - b`, with 0 for every resource of which `b` has more. */
export function subtractToZero(a: ResourceList, b: ResourceList): ResourceList {
  const differences: Record<string, string> = {}
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const difference = subtractQuantities(ownValue(a, name) ?? '0', ownValue(b, name) ?? '0')
    differences[name] = isPositive(difference) ? difference : '0'
  }
  return differences
}

/** Returns the part of the list whose names pass. */
export function maskList(list: ResourceList, passes: (name: string) => boolean): ResourceList {
  return Object.fromEntries(Object.entries(list).filter(([name]) => passes(name)))
}

/** Returns the list without resources of quantity 0. */
export const withoutZeros = (list: ResourceList): ResourceList =>
  Object.fromEntries(Object.entries(list).filter(([, quantity]) => compareQuantities(quantity, '0') !== 0))

/** Returns the names of resources with a negative quantity. */
export const negativeNames = (list: ResourceList): string[] =>
  resourceNames(list).filter((name) => compareQuantities(ownValue(list, name) ?? '0', '0') < 0)

/** Returns the names of the resources of which `a` has more than `b`; those that `b` does not have are not compared. */
export function exceededNames(a: ResourceList, b: ResourceList): string[] {
  return resourceNames(b).filter((name) => {
    const amount = ownValue(a, name)
    return amount !== undefined && compareQuantities(amount, ownValue(b, name) ?? '0') > 0
  })
}

/** Whether both lists have the same resources with equal quantities. */
export function equalLists(a: ResourceList = {}, b: ResourceList = {}): boolean {
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  return names.every((name) => {
    const other = ownValue(b, name)
    return other !== undefined && compareQuantities(ownValue(a, name) ?? '0', other) === 0
  })
}

/** Returns the list as messages show it: `cpu=1,pods=2`. */
export const listText = (list: ResourceList): string =>
  resourceNames(list)
    .map((name) => `${name}=${ownValue(list, name) ?? ''}`)
    .join(',')

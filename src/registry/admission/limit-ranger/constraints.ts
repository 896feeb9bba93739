/** Compares requests and limits with the bounds of a LimitRange. Follows the plugin LimitRanger of k8s.io/kubernetes. */
import type { ResourceList } from '../../../catalog/generated/types/core.v1.ts'
import { formatFixed } from '../../../go/numbers.ts'
import { ownValue } from '../../../go/own-value.ts'
import { mostMilliValue, scaledQuantityValue } from '../../../meta/quantity.ts'

/** The requests and limits that a bound applies to. */
export interface Amounts {
  readonly requests: ResourceList
  readonly limits: ResourceList
}

/** A bound of a LimitRange for one resource. */
export interface Bound {
  /** The type of the LimitRange's item, for example `Container`. */
  readonly type: string
  /** The name of the resource. */
  readonly resource: string
  /** The quantity that the LimitRange sets. */
  readonly enforced: string
}

/** Compares amounts with a bound. Returns the reason to reject them; undefined if they are allowed. */
export type Constraint = (bound: Bound, amounts: Amounts) => string | undefined

/**
 * Returns the values of quantities at a common precision: in thousandths, or in units if one of them is too large for that. An
 * absent quantity is 0.
 */
function valuesOf(...quantities: readonly (string | undefined)[]): bigint[] {
  const given = quantities.map((quantity = '0') => quantity)
  const isPrecise = given.every((quantity) => scaledQuantityValue(quantity, 0) <= mostMilliValue)
  return given.map((quantity) => scaledQuantityValue(quantity, isPrecise ? -3 : 0))
}

/** Requires a request of at least the bound, and a limit, if there is one, of at least the bound. */
export const minimum: Constraint = ({ type, resource, enforced }, { requests, limits }) => {
  const [request, limit] = [ownValue(requests, resource), ownValue(limits, resource)]
  const [requested = 0n, limited = 0n, least = 0n] = valuesOf(request, limit, enforced)
  const bound = `minimum ${resource} usage per ${type} is ${enforced}`
  if (request === undefined) return `${bound}.  No request is specified`
  if (requested < least) return `${bound}, but request is ${request}`
  return limit !== undefined && limited < least ? `${bound}, but limit is ${limit}` : undefined
}

/** Requires a limit of at most the bound, and a request, if there is one, of at most the bound. */
export const maximum: Constraint = ({ type, resource, enforced }, { requests, limits }) => {
  const [request, limit] = [ownValue(requests, resource), ownValue(limits, resource)]
  const [requested = 0n, limited = 0n, most = 0n] = valuesOf(request, limit, enforced)
  const bound = `maximum ${resource} usage per ${type} is ${enforced}`
  if (limit === undefined) return `${bound}.  No limit is specified`
  if (limited > most) return `${bound}, but limit is ${limit}`
  return request !== undefined && requested > most ? `${bound}, but request is ${request}` : undefined
}

/** Requires a request of at most the bound, for types without limits. */
export const maximumRequest: Constraint = ({ type, resource, enforced }, { requests }) => {
  const request = ownValue(requests, resource)
  const [requested = 0n, most = 0n] = valuesOf(request, enforced)
  const bound = `maximum ${resource} usage per ${type} is ${enforced}`
  if (request === undefined) return `${bound}.  No request is specified`
  return requested > most ? `${bound}, but request is ${request}` : undefined
}

/** Requires a request and a limit whose ratio is at most the bound. */
export const maximumRatio: Constraint = ({ type, resource, enforced }, { requests, limits }) => {
  const [requested = 0n, limited = 0n] = valuesOf(ownValue(requests, resource), ownValue(limits, resource), enforced)
  const bound = `${resource} max limit to request ratio per ${type} is ${enforced}`
  if (requested === 0n) return `${bound}, but no request is specified or request is 0`
  if (limited === 0n) return `${bound}, but no limit is specified or limit is 0`
  const ratio = Number(limited) / Number(requested)
  const isPrecise = scaledQuantityValue(enforced, 0) <= mostMilliValue
  const most = Number(scaledQuantityValue(enforced, isPrecise ? -3 : 0))
  return ratio * (isPrecise ? 1000 : 1) > most ? `${bound}, but provided ratio is ${formatFixed(ratio, 6)}` : undefined
}

/** Checks of container resources. Follows validateResourceRequirements of k8s.io/kubernetes/pkg/apis/core/validation. */
import { ownValue } from '../../../go/own-value.ts'
import { valueNotFound } from '../../../meta/field-error.ts'
import { compareQuantities, scaledQuantityValue } from '../../../meta/quantity.ts'
import { explicitEmpty } from '../../../schema/explicit-empty.ts'
import type { PodSpec, ResourceList, ResourceRequirements } from '../../generated/types/core.v1.ts'
import { type Errors, itemsOf } from '../checks.ts'
import {
  type CheckName,
  checkAmountOf,
  checkAnyName,
  checkContainerName,
  hugePages,
  isHugePages,
  mayOvercommit,
} from '../core/resource-names.ts'
import { totalOfContainers } from './total-resources.ts'

const checkPodName: CheckName = (name, field, errors) => {
  if (!checkAnyName(name, field, errors) || name === 'cpu' || name === 'memory' || isHugePages(name)) return
  errors.notSupported(field, name, ['cpu', 'hugepages-', 'memory'])
}

function checkAmount(name: string, amount: string, checkName: CheckName, field: string, errors: Errors): void {
  checkName(name, field, errors)
  checkAmountOf(name, amount, field, errors)
}

/** Whether an amount is whole pages of the size in the resource's name (IsHugePageResourceValueDivisible). */
function isWholePages(name: string, amount: string): boolean {
  const size = name.slice(hugePages.length)
  try {
    const bytes = scaledQuantityValue(size, 0)
    return bytes > 0n && scaledQuantityValue(size, -3) % 1000n === 0n && scaledQuantityValue(amount, 0) % bytes === 0n
  } catch {
    return false
  }
}

function checkPages(name: string, amount: string, field: string, errors: Errors): void {
  if (!isHugePages(name) || isWholePages(name, amount)) return
  errors.invalid(field, amount, `${amount} is not positive integer multiple of ${name}`)
}

function checkRequest(name: string, amount: string, limit: string | undefined, field: string, errors: Errors): void {
  const at = `${field}.requests`
  if (limit === undefined) {
    if (!mayOvercommit(name)) errors.required(`${field}.limits`, 'Limit must be set for non overcommitable resources')
    return
  }
  const order = compareQuantities(amount, limit)
  if (order !== 0 && !mayOvercommit(name)) errors.invalid(at, amount, `must be equal to ${name} limit of ${limit}`)
  else if (order > 0) errors.invalid(at, amount, `must be less than or equal to ${name} limit of ${limit}`)
}

function checkRequirements(resources: ResourceRequirements, checkName: CheckName, field: string, errors: Errors): void {
  const { limits = {}, requests = {} } = resources
  for (const name in limits) {
    const amount = limits[name] ?? ''
    checkAmount(name, amount, checkName, `${field}.limits[${name}]`, errors)
    checkPages(name, amount, `${field}.limits[${name}]`, errors)
  }
  for (const name in requests) {
    const amount = requests[name] ?? ''
    checkAmount(name, amount, checkName, `${field}.requests[${name}]`, errors)
    checkRequest(name, amount, ownValue(limits, name), field, errors)
    checkPages(name, amount, `${field}.requests[${name}]`, errors)
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)]
  if (names.some(isHugePages) && !names.some((name) => name === 'cpu' || name === 'memory')) {
    errors.forbidden(field, 'HugePages require cpu or memory')
  }
}

/** Validates the requests and limits of a container. */
export function checkResources(resources: ResourceRequirements, field: string, errors: Errors): void {
  checkRequirements(resources, checkContainerName, field, errors)
}

type Claims = NonNullable<ResourceRequirements['claims']>

/** Validates the claims of the Pod that a container uses (validateResourceClaimNames). */
export function checkClaims(claims: Claims, podClaims: ReadonlySet<string>, field: string, errors: Errors): void {
  const seen = new Set<string>()
  /** The number of different requests of a claim that are used. */
  const requests = new Map<string, number>()
  for (const [at, { name, request = '' }] of itemsOf(claims, field)) {
    if (name === '') {
      errors.required(at)
      continue
    }
    if (seen.has(name)) errors.duplicate(at, name)
    else {
      if (request !== '') errors.checkDnsLabel(request, `${at}.request`)
      const key = request === '' ? name : `${name}/${request}`
      if (seen.has(key)) errors.duplicate(at, key)
      else if (request !== '') requests.set(name, (requests.get(name) ?? 0) + 1)
      else for (let count = requests.get(name) ?? 0; count > 0; count--) errors.duplicate(at, name)
      seen.add(key)
    }
    if (podClaims.has(name)) continue
    const known = podClaims.size === 0 ? ' which is empty' : `: ${[...podClaims].sort().join(', ')}`
    const { text, ...error } = valueNotFound(at, name)
    errors.push({ ...error, text: `${text}: must be one of the names in pod.spec.resourceClaims${known}` })
  }
}

function checkTotals(spec: PodSpec, resources: ResourceRequirements, field: string, errors: Errors): void {
  for (const which of ['requests', 'limits'] as const) {
    for (const [name, amount] of totalOfContainers(spec, which)) {
      const own = ownValue(resources[which], name)
      if (own === undefined || (which === 'limits' && !isHugePages(name)) || compareQuantities(amount, own) <= 0) continue
      const text = `must be greater than or equal to aggregate container ${which} of ${amount}`
      errors.invalid(`${field}.${which}[${name}]`, own, text)
    }
  }
  for (const [index, container] of (spec.containers ?? []).entries()) {
    for (const [name, amount] of Object.entries(container.resources.limits ?? {})) {
      const own = ownValue(resources.limits, name)
      if (own === undefined || compareQuantities(amount, own) <= 0) continue
      const at = `${field}.containers[${index}][${name}].limits`
      errors.invalid(at, amount, `must be less than or equal to pod limits of ${own}`)
    }
  }
}

/** Validates the Pod-level resources (validatePodResources). */
export function checkPodResources(spec: PodSpec, field: string, errors: Errors): void {
  const { resources, os } = spec
  if (resources === undefined) return
  if (os?.name === 'windows') {
    errors.forbidden(field, 'may not be set for a windows pod')
    return
  }
  const { claims } = resources
  if ((claims ?? explicitEmpty(resources, 'claims')) !== undefined)
    errors.forbidden(`${field}.claims`, 'claims may not be set for Resources at pod-level')
  checkRequirements(resources, checkPodName, field, errors)
  const known = new Set((spec.resourceClaims ?? []).map(({ name }) => name).filter((name) => name !== ''))
  checkClaims(claims ?? [], known, `${field}.claims`, errors)
  checkTotals(spec, resources, field, errors)
}

/** Validates the overhead of a Pod. The messages call it limits. */
export function checkOverhead(overhead: ResourceList, field: string, errors: Errors): void {
  checkRequirements({ limits: overhead }, checkContainerName, field, errors)
}

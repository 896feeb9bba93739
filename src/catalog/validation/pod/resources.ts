/** Checks of what a container asks for. Follows validateResourceRequirements of k8s.io/kubernetes/pkg/apis/core/validation. */
import { forbiddenValue, invalidValue, required } from '../../../meta/field-error.ts'
import { isQualifiedName } from '../../../meta/names.ts'
import { compareQuantities, scaledQuantityValue } from '../../../meta/quantity.ts'
import type { ResourceRequirements } from '../../shapes/pod.ts'
import { checkMessages, checkNonNegativeQuantity, type Errors } from '../checks.ts'

const containerResources: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage'])
const standardResources: ReadonlySet<string> = new Set([
  ...['cpu', 'memory', 'ephemeral-storage', 'requests.cpu', 'requests.memory', 'requests.ephemeral-storage', 'limits.cpu'],
  ...['limits.memory', 'limits.ephemeral-storage', 'pods', 'resourcequotas', 'services', 'replicationcontrollers', 'secrets'],
  ...['persistentvolumeclaims', 'configmaps', 'services.nodeports', 'services.loadbalancers', 'storage', 'requests.storage'],
])

const isHugePages = (name: string): boolean => name.startsWith('hugepages-')
const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/')
/** More may be promised than there is. */
const mayOvercommit = (name: string): boolean => isNative(name) && !isHugePages(name)

function checkResourceName(name: string, field: string, errors: Errors): void {
  const messages = isQualifiedName(name)
  checkMessages(messages, name, field, errors)
  if (!name.includes('/')) {
    if (messages.length === 0 && !standardResources.has(name) && !isHugePages(name)) {
      errors.push(invalidValue(field, name, 'must be a standard resource type or fully qualified'))
    }
    if (!containerResources.has(name) && !isHugePages(name)) {
      errors.push(invalidValue(field, name, 'must be a standard resource for containers'))
    }
  } else if (!isNative(name) && (name.startsWith('requests.') || isQualifiedName(`requests.${name}`).length > 0)) {
    errors.push(invalidValue(field, name, "doesn't follow extended resource name standard"))
  }
}

function checkAmount(name: string, amount: string, field: string, errors: Errors): void {
  checkResourceName(name, field, errors)
  checkNonNegativeQuantity(amount, field, errors)
  const isInteger = !isNative(name) && name.includes('/')
  if (isInteger && scaledQuantityValue(amount, -3) % 1000n !== 0n) errors.push(invalidValue(field, amount, 'must be an integer'))
}

function checkRequest(name: string, amount: string, limit: string | undefined, field: string, errors: Errors): void {
  const at = `${field}.requests`
  if (limit === undefined) {
    if (!mayOvercommit(name)) errors.push(required(`${field}.limits`, 'Limit must be set for non overcommitable resources'))
    return
  }
  const order = compareQuantities(amount, limit)
  if (order !== 0 && !mayOvercommit(name)) errors.push(invalidValue(at, amount, `must be equal to ${name} limit of ${limit}`))
  else if (order > 0) errors.push(invalidValue(at, amount, `must be less than or equal to ${name} limit of ${limit}`))
}

/** What a container requests and may use at most. */
export function checkResources(resources: ResourceRequirements, field: string, errors: Errors): void {
  const { limits = {}, requests = {} } = resources
  for (const name in limits) checkAmount(name, limits[name] ?? '', `${field}.limits[${name}]`, errors)
  for (const name in requests) {
    const amount = requests[name] ?? ''
    checkAmount(name, amount, `${field}.requests[${name}]`, errors)
    checkRequest(name, amount, limits[name], field, errors)
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)]
  if (names.some(isHugePages) && !names.some((name) => name === 'cpu' || name === 'memory')) {
    errors.push(forbiddenValue(field, 'HugePages require cpu or memory'))
  }
}

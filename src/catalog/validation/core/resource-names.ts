import { asJson } from '../../../meta/field-error.ts'
import { isQualifiedName } from '../../../meta/names.ts'
import { scaledQuantityValue } from '../../../meta/quantity.ts'
import type { Errors } from '../checks.ts'

const containerResources: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage'])
const countedResources = [
  ...['pods', 'resourcequotas', 'services', 'replicationcontrollers', 'secrets', 'configmaps', 'persistentvolumeclaims'],
  ...['services.nodeports', 'services.loadbalancers'],
]
const quotaResources: ReadonlySet<string> = new Set([
  ...['cpu', 'memory', 'ephemeral-storage', 'requests.cpu', 'requests.memory', 'requests.storage'],
  ...['requests.ephemeral-storage', 'limits.cpu', 'limits.memory', 'limits.ephemeral-storage', ...countedResources],
])
const integerResources: ReadonlySet<string> = new Set(countedResources)

/** The prefix of resources that are huge pages; the size of a page follows. */
export const hugePages = 'hugepages-'
export const isHugePages = (name: string): boolean => name.startsWith(hugePages)
const isQuotaHugePages = (name: string): boolean => isHugePages(name) || name.startsWith('requests.hugepages-')

/** Whether the resource is one of Kubernetes' own (IsNativeResource). */
export const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/')

/** Whether limits may exceed requests (IsOvercommitAllowed). */
export const mayOvercommit = (name: string): boolean => isNative(name) && !isHugePages(name)

/** Whether a quota may limit the resource under this name, which has no domain (IsStandardQuotaResourceName). */
export const isStandardQuotaResource = (name: string): boolean => quotaResources.has(name) || isQuotaHugePages(name)

const isStandard = (name: string): boolean => name === 'storage' || isStandardQuotaResource(name)

/** Whether the resource is an extended resource, whose name has a domain of its own (IsExtendedResourceName). */
export const isExtended = (name: string): boolean =>
  !isNative(name) && !name.startsWith('requests.') && isQualifiedName(`requests.${name}`).length === 0

/** Checks the name of a resource for one kind of field. */
export type CheckName = (name: string, field: string, errors: Errors) => void

/** Checks the rules for resource names in any field. Returns whether the name is valid. */
export function checkAnyName(name: string, field: string, errors: Errors): boolean {
  const messages = isQualifiedName(name)
  errors.checkMessages(messages, asJson(name), field)
  if (messages.length > 0) return false
  if (name.includes('/') || isStandard(name)) return true
  errors.invalid(field, asJson(name), 'must be a standard resource type or fully qualified')
  return false
}

/** Checks the name of a resource in a container's requests or limits. */
export const checkContainerName: CheckName = (name, field, errors) => {
  checkAnyName(name, field, errors)
  if (!name.includes('/')) {
    if (!containerResources.has(name) && !isHugePages(name)) {
      errors.invalid(field, asJson(name), 'must be a standard resource for containers')
    }
  } else if (!isNative(name) && !isExtended(name)) {
    errors.invalid(field, asJson(name), "doesn't follow extended resource name standard")
  }
}

/** Checks the name of a resource in a quota. */
export const checkQuotaName: CheckName = (name, field, errors) => {
  checkAnyName(name, field, errors)
  if (!name.includes('/') && !isStandardQuotaResource(name))
    errors.invalid(field, asJson(name), 'must be a standard resource for quota')
}

/** Checks an amount of a resource (ValidateResourceQuantityValue): countable resources need whole numbers. */
export function checkAmountOf(name: string, amount: string, field: string, errors: Errors): void {
  errors.checkNonNegativeQuantity(amount, field)
  if (!integerResources.has(name) && !isExtended(name)) return
  if (scaledQuantityValue(amount, -3) % 1000n !== 0n) errors.invalid(field, amount, 'must be an integer')
}

/** Checks that an amount is not negative. The message quotes the parsed number. */
export function checkBasicAmount(amount: string, field: string, errors: Errors): void {
  const value = scaledQuantityValue(amount, 0)
  if (value < 0n) errors.invalid(field, value, 'must be a valid resource quantity')
}

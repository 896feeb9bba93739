/**
 * Additional permissions for writes to ResourceClaims: adminAccess needs a label on the namespace; allocations and reservations
 * need `resourceclaims/binding`, and the status of devices needs `resourceclaims/driver`. Follows KEP-5018 (DRAAdminAccess) and
 * DRAResourceClaimGranularStatusAuthorization.
 */
import { accountOf } from '../../../auth/service-account-names.ts'
import type { NodeSelector } from '../../../catalog/generated/types/core.v1.ts'
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceRequest,
  ResourceClaim,
  ResourceClaimStatus,
} from '../../../catalog/generated/types/resource.v1.ts'
import { isSame } from '../../../catalog/validation/checks.ts'
import { namespaceLookup } from '../../../clusters/lookups.ts'
import { labelsOfNamespace } from '../../../clusters/namespace-facts.ts'
import { type FieldError, forbiddenValue, internalFieldError } from '../../../meta/field-error.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { access, mayAll, type PartialAccess, requireAccess } from '../../access.ts'
import type { Permit, StrategyContext } from '../../hooks.ts'

const adminLabel = 'resource.kubernetes.io/admin-access'
const nodeNameKey = 'authentication.kubernetes.io/node-name'

/** Returns the errors of adminAccess at a field path. */
function adminErrors({ metadata }: KubernetesObject, path: string, { lookups, user }: StrategyContext): FieldError[] {
  if (user === undefined) return []
  const namespace = metadata.namespace ?? ''
  const found = lookups.get(namespaceLookup(namespace))
  if (found === null) {
    return [internalFieldError(path, `could not retrieve namespace to verify admin access: namespaces "${namespace}" not found`)]
  }
  if (labelsOfNamespace(namespace, found)[adminLabel] === 'true') return []
  const why = `admin access to devices requires the \`${adminLabel}: true\` label on the containing namespace`
  return [forbiddenValue(path, why)]
}

/** Checks adminAccess of new objects. Requests are immutable, so updates need no check. */
export function permitRequests<T extends KubernetesObject>(requestsOf: (object: T) => readonly DeviceRequest[]): Permit {
  return (found, object, old, context) => {
    const index = old === undefined ? requestsOf(object as T).findIndex(({ exactly }) => exactly?.adminAccess === true) : -1
    if (index < 0) return found
    return [...adminErrors(object, `spec.devices.requests[${index}].adminAccess`, context), ...found]
  }
}

const resultsOf = (allocation: AllocationResult | undefined) => allocation?.devices?.results ?? []
const isAdmin = ({ adminAccess }: { readonly adminAccess?: boolean }): boolean => adminAccess === true

/** Returns the only node on which the allocated devices can be used; '' if there are several. */
function nodeOf(selector: NodeSelector | undefined): string {
  const [term, ...otherTerms] = selector?.nodeSelectorTerms ?? []
  const [field, ...otherFields] = term?.matchFields ?? []
  if (otherTerms.length + otherFields.length + (term?.matchExpressions ?? []).length > 0) return ''
  const isName = field?.key === 'metadata.name' && field.operator === 'In' && field.values?.length === 1
  return isName ? (field.values?.[0] ?? '') : ''
}

/** Whether the user is a ServiceAccount whose token is bound to the node. */
function isOnNode({ user }: StrategyContext, node: string): boolean {
  const [own, ...others] = user?.extra[nodeNameKey] ?? []
  return node !== '' && accountOf(user?.name ?? '') !== undefined && others.length === 0 && own === node
}

const keyOf = ({ driver, pool, device, shareID = '' }: AllocatedDeviceStatus): string =>
  JSON.stringify([driver, pool, device, shareID])

/** Returns the sorted drivers with a changed device status. */
function changedDrivers(now: readonly AllocatedDeviceStatus[], before: readonly AllocatedDeviceStatus[]): string[] {
  const old = new Map(before.map((device) => [keyOf(device), device]))
  const drivers = new Set<string>()
  for (const device of now) {
    if (!isSame(device, old.get(keyOf(device)))) drivers.add(device.driver)
    old.delete(keyOf(device))
  }
  for (const { driver } of old.values()) drivers.add(driver)
  return [...drivers].sort()
}

const claims = { group: 'resource.k8s.io', version: 'v1', resource: 'resourceclaims' }

/** Returns the verb of a write to the status. */
const verbOf = ({ write }: StrategyContext): string => (write.fromPatch === true ? 'patch' : 'update')

function bindingErrors(status: ResourceClaimStatus, old: ResourceClaimStatus, context: StrategyContext): FieldError[] {
  if (mayAll(context)) return []
  if (isSame(status.allocation, old.allocation) && isSame(status.reservedFor ?? [], old.reservedFor ?? [])) return []
  const verb = verbOf(context)
  const answer = access(context, { ...claims, version: context.kind.version, verb, subresource: 'binding' })
  if (answer.allowed) return []
  const needs = `changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${verb}" permission`
  return [forbiddenValue('status.allocation', `${needs}: ${answer.refusal}`)]
}

function driverErrors(claim: ResourceClaim, old: ResourceClaim, context: StrategyContext): FieldError[] {
  const drivers = changedDrivers(claim.status?.devices ?? [], old.status?.devices ?? [])
  if (drivers.length === 0 || mayAll(context)) return []
  const verb = verbOf(context)
  const near = isOnNode(context, nodeOf(claim.status?.allocation?.nodeSelector))
  const verbs = near ? [`associated-node:${verb}`, `arbitrary-node:${verb}`] : [`arbitrary-node:${verb}`]
  const namespace = claim.metadata.namespace ?? ''
  const { version } = context.kind
  const accessTo = (name: string, one: string): PartialAccess => ({
    ...claims,
    version,
    verb: one,
    subresource: 'driver',
    namespace,
    name,
  })
  // Looks up the first verb for all drivers in one round trip.
  requireAccess(
    context,
    drivers.map((name) => accessTo(name, verbs[0] ?? '')),
  )
  return drivers.flatMap((name) => {
    const refusals: string[] = []
    for (const one of verbs) {
      const answer = access(context, accessTo(name, one))
      if (answer.allowed) return []
      refusals.push(answer.refusal)
    }
    const needs = `changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission`
    return [forbiddenValue('status.devices', `${needs}: ${refusals[0]}`)]
  })
}

/** Checks the additional permissions for a write to the status. */
export const permitStatus: Permit = (found, object, before, context) => {
  const [claim, old] = [object as ResourceClaim, before as ResourceClaim]
  const [results, former] = [resultsOf(claim.status?.allocation), resultsOf(old.status?.allocation)]
  const index = former.some(isAdmin) ? -1 : results.findIndex(isAdmin)
  return [
    ...(index < 0 ? [] : adminErrors(object, `status.allocation.devices.results[${index}].adminAccess`, context)),
    ...bindingErrors(claim.status ?? {}, old.status ?? {}, context),
    ...(claim.status?.allocation === undefined ? [] : driverErrors(claim, old, context)),
    ...found,
  ]
}

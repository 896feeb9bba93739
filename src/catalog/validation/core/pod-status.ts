/** Checks of the status of Pods. Follows ValidatePodStatusUpdate of k8s.io/kubernetes/pkg/apis/core/validation. */

import { ownValue } from '../../../go/own-value.ts'
import { utf8Length } from '../../../go/text.ts'
import { asJson, internalFieldError } from '../../../meta/field-error.ts'
import { inclusiveRangeError, isDns1123Subdomain } from '../../../meta/names.ts'
import { parseIp } from '../../../net/ip.ts'
import type { Container, ContainerStatus, Pod, PodIP, PodSpec, PodStatus, ResourceStatus } from '../../generated/types/core.v1.ts'
import { byName, checkIp, type Errors, itemsOf, validator } from '../checks.ts'
import { checkExtendedClaim } from './pod-extended-claims.ts'

const negative = 'must be a non-negative integer'
const systemConditions: ReadonlySet<string> = new Set(['PodScheduled', 'Ready', 'Initialized'])

function checkPodConditions({ conditions = [] }: PodStatus, errors: Errors): void {
  for (const [at, { type, observedGeneration = 0 }] of itemsOf(conditions, 'status.conditions')) {
    if (observedGeneration < 0) errors.invalid(`${at}.observedGeneration`, observedGeneration, negative)
    if (!systemConditions.has(type)) errors.checkQualifiedName(type, `${at}.Type`)
  }
}

function checkNominated(status: PodStatus, old: PodStatus, oldSpec: PodSpec, errors: Errors): void {
  const { nominatedNodeName = '' } = status
  if (nominatedNodeName === '' || nominatedNodeName === (old.nominatedNodeName ?? '')) return
  const field = 'status.nominatedNodeName'
  errors.checkDnsSubdomain(nominatedNodeName, field)
  if ((oldSpec.nodeName ?? '') === '') return
  errors.forbidden(field, 'may not be set on pods that are already bound to a node')
}

/** Whether a terminated container may restart. */
type MayRestart = (status: ContainerStatus) => boolean

function checkTransitions(
  statuses: readonly ContainerStatus[],
  old: readonly ContainerStatus[],
  field: string,
  mayRestart: MayRestart,
  errors: Errors,
): void {
  const present = byName(statuses)
  for (const [index, before] of old.entries()) {
    if (before.state?.terminated === undefined || mayRestart(before)) continue
    const now = present.get(before.name)
    if (now === undefined || now.state?.terminated !== undefined) continue
    errors.forbidden(`${field}[${index}].state`, 'may not be transitioned to non-terminated state')
  }
}

type RestartRule = NonNullable<Container['restartPolicyRules']>[number]

const applies = ({ exitCodes }: RestartRule, exitCode: number): boolean =>
  exitCodes !== undefined && (exitCodes.values ?? []).includes(exitCode) === (exitCodes.operator === 'In')

/** Returns the restart check. A container's restart rules take precedence over its restartPolicy, and that over the Pod's. */
function restarts(containers: readonly Container[], spec: PodSpec): MayRestart {
  const present = byName(containers)
  return ({ name, state }) => {
    const container = present.get(name)
    if (container === undefined) return false
    const exitCode = state?.terminated?.exitCode ?? 0
    if ((container.restartPolicyRules ?? []).some((rule) => applies(rule, exitCode))) return true
    const policy = container.restartPolicy ?? spec.restartPolicy ?? 'Always'
    return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0)
  }
}

function checkAddresses(addresses: readonly PodIP[], old: readonly PodIP[], field: string, errors: Errors): void {
  const before = new Set(old.map(({ ip }) => ip))
  for (const [index, { ip }] of addresses.entries()) checkIp(ip, `${field}[${index}]`, errors, before)
  if (addresses.length < 2) return
  const parsed = addresses.map(({ ip }) => parseIp(ip))
  const bad = parsed.indexOf(undefined)
  if (bad >= 0) {
    const why = `failed to check for dual stack with error:invalid IP[${bad}]: ${addresses[bad]?.ip ?? ''}`
    errors.push(internalFieldError(field, why))
  }
  const families = new Set(parsed.map((address) => address?.family))
  if (bad < 0 && families.size === 2 && addresses.length === 2) return
  const reported = addresses.map(({ ip }) => ({ IP: ip }))
  errors.invalid(field, reported, 'may specify no more than one IP for each IP family')
}

function checkHostAddresses({ hostIP = '', hostIPs = [] }: PodStatus, old: PodStatus, errors: Errors): void {
  const [first] = hostIPs
  if (first === undefined) return
  if (first.ip !== hostIP) errors.invalid('status.hostIPs[0].ip', first.ip, 'must be equal to `hostIP`')
  checkAddresses(hostIPs, old.hostIPs ?? [], 'status.hostIPs', errors)
}

function checkClaims({ resourceClaimStatuses = [] }: PodStatus, { resourceClaims = [] }: PodSpec, errors: Errors): void {
  const names = new Set<string>()
  const claims = byName(resourceClaims)
  for (const [at, { name, resourceClaimName }] of itemsOf(resourceClaimStatuses, 'status.resourceClaimStatuses')) {
    if (!claims.has(name)) {
      errors.invalid(`${at}.name`, name, 'must match the name of an entry in `spec.resourceClaims`')
    }
    errors.checkUnique(names, name, `${at}.name`)
    if (resourceClaimName !== undefined)
      errors.checkMessages(isDns1123Subdomain(resourceClaimName), asJson(resourceClaimName), `${at}.resourceClaimName`)
  }
}

const maximumHealthMessage = 1024
const healths = ['Healthy', 'Unhealthy', 'Unknown']

function checkHealth({ resources = [] }: ResourceStatus, field: string, errors: Errors): void {
  const ids = new Set<string>()
  for (const [at, { resourceID, health = '', message }] of itemsOf(resources, `${field}.resources`)) {
    if (!healths.includes(health)) errors.notSupported(`${at}.health`, health, healths)
    if (message === '') errors.required(`${at}.message`, 'must be non-empty if specified')
    else if (message !== undefined && utf8Length(message) > maximumHealthMessage) {
      errors.tooLong(`${at}.message`, maximumHealthMessage)
    }
    errors.checkUnique(ids, resourceID, `${at}.resourceID`, asJson(resourceID))
  }
}

/** Checks that allocated resources are among the requested ones. */
function checkAllocated(
  statuses: readonly ContainerStatus[],
  containers: readonly Container[],
  field: string,
  errors: Errors,
): void {
  const present = byName(containers)
  for (const [index, { name, allocatedResourcesStatus = [] }] of statuses.entries()) {
    const container = present.get(name)
    const claims = new Set((container?.resources.claims ?? []).map(claimText))
    for (const [at, allocated] of allocatedResourcesStatus.entries()) {
      const place = `${field}[${index}].allocatedResourcesStatus[${at}]`
      if (container !== undefined) checkRequested(allocated.name, container, claims, `${place}.name`, errors)
      checkHealth(allocated, place, errors)
    }
  }
}

const claimText = ({ name, request = '' }: { readonly name: string; readonly request?: string }): string =>
  `claim:${name}${request === '' ? '' : `/${request}`}`

function checkRequested(
  name: string,
  { resources }: Container,
  claims: ReadonlySet<string>,
  field: string,
  errors: Errors,
): void {
  if (!name.startsWith('claim:')) {
    if (ownValue(resources.requests, name) === undefined) {
      errors.invalid(field, name, "must match one of the container's resource requests")
    }
    return
  }
  if (claims.has(name)) return
  const form = "in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
  errors.invalid(field, name, `must match one of the container's resource claims ${form}`)
}

const highestId = 2 ** 31 - 1

function checkId(id: number, field: string, errors: Errors): void {
  if (id < 0 || id > highestId) errors.invalid(field, id, inclusiveRangeError(0, highestId))
}

function checkUsers(statuses: readonly ContainerStatus[], list: string, { os }: PodSpec, errors: Errors): void {
  for (const [index, { user }] of statuses.entries()) {
    const field = `${list}[${index}].user.linux`
    if (user?.linux === undefined) continue
    if (os?.name === 'windows') {
      errors.forbidden(field, 'cannot be set for a windows pod')
      continue
    }
    const { uid, gid, supplementalGroups = [] } = user.linux
    checkId(uid, `${field}.uid`, errors)
    checkId(gid, `${field}.gid`, errors)
    for (const [at, group] of supplementalGroups.entries()) checkId(group, `${field}.supplementalGroups[${at}]`, errors)
  }
}

/** The lists of container statuses, each with the spec field of its containers. */
const lists = [
  ['containerStatuses', 'containers'],
  ['initContainerStatuses', 'initContainers'],
  ['ephemeralContainerStatuses', 'ephemeralContainers'],
] as const

/** Validates an update of a Pod's status. */
export const validatePodStatus = validator((errors, { spec, status: given }: Pod, { spec: oldSpec, status: before }: Pod) => {
  const status = given as PodStatus
  const old = before as PodStatus
  checkPodConditions(status, errors)
  checkNominated(status, old, oldSpec, errors)
  if ((status.observedGeneration ?? 0) < 0) errors.invalid('status.observedGeneration', status.observedGeneration, negative)
  errors.checkImmutableChoice(status.qosClass ?? '', old.qosClass ?? '', 'status.qosClass')
  for (const [list, containers] of lists) {
    const mayRestart = containers === 'ephemeralContainers' ? () => false : restarts(oldSpec[containers] ?? [], oldSpec)
    checkTransitions(status[list] ?? [], old[list] ?? [], `status.${list}`, mayRestart, errors)
  }
  checkClaims(status, spec, errors)
  checkExtendedClaim(status.extendedResourceClaimStatus, spec, errors)
  checkAddresses(status.podIPs ?? [], old.podIPs ?? [], 'status.podIPs', errors)
  checkHostAddresses(status, old, errors)
  for (const [list] of lists) checkUsers(status[list] ?? [], `status.${list}`, spec, errors)
  for (const [list, containers] of lists.slice(0, 2)) {
    checkAllocated(status[list] ?? [], spec[containers] ?? [], `status.${list}`, errors)
  }
  for (const [index, { allocatedResourcesStatus = [] }] of (status.ephemeralContainerStatuses ?? []).entries()) {
    if (allocatedResourcesStatus.length === 0) continue
    const at = `status.ephemeralContainerStatuses[${index}].allocatedResourcesStatus`
    errors.forbidden(at, 'must not be specified in container status')
  }
})

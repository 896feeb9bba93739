/**
 * Allocation of the cluster IPs of Services.
 * Follows k8s.io/kubernetes/pkg/registry/core/service/{storage/alloc,ipallocator/ipallocator}.go.
 */
import type { Service } from '../../../catalog/generated/types/core.v1.ts'
import type { IPAddress } from '../../../catalog/generated/types/networking.v1.ts'
import { headless, needsClusterIp } from '../../../catalog/service-types.ts'
import { validateClusterIps } from '../../../catalog/validation/core/service-addresses.ts'
import { validateIpAddress } from '../../../catalog/validation/networking/addresses.ts'
import { ApiError, invalid } from '../../../meta/errors.ts'
import { type FieldError, invalidValue } from '../../../meta/field-error.ts'
import { type Cidr, contains, formatIpv4, isIpv6, parseCidr, parseIp } from '../../../net/ip.ts'
import type { StrategyContext } from '../../hooks.ts'
import { allocationsOf, type ValuesOf } from './allocations.ts'

const serviceKind = { group: '', kind: 'Service' }
const addressKind = { group: 'networking.k8s.io', kind: 'IPAddress' }

const addressesOf: ValuesOf = (object) => {
  const { clusterIPs = [] } = (object as Service).spec
  return clusterIPs.filter((address) => address !== headless)
}

const familyOf = (address: string): string => (isIpv6(address) ? 'IPv6' : 'IPv4')
const otherFamily = (family: string): string => (family === 'IPv4' ? 'IPv6' : 'IPv4')

function refuse(service: Service, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(serviceKind, service.metadata.name ?? '', errors)
}

function blockOf(context: StrategyContext): Cidr {
  const block = parseCidr(context.services.serviceCidr)
  if (block === undefined) throw new Error(`the Services' block of addresses is malformed: ${context.services.serviceCidr}`)
  return block
}

/** Whether a PreferDualStack Service leaves all fields that depend on ipFamilyPolicy unchanged. */
function keepsPreference(service: Service, old: Service | undefined): boolean {
  if (old === undefined || service.spec.ipFamilyPolicy !== 'PreferDualStack') return false
  const fields = ['ipFamilyPolicy', 'clusterIP', 'clusterIPs', 'ipFamilies'] as const
  return fields.every((field) => JSON.stringify(service.spec[field]) === JSON.stringify(old.spec[field]))
}

function policyOf(service: Service, old: Service | undefined): string {
  const before = old?.spec.ipFamilyPolicy
  if (before !== undefined) return before
  return isHeadlessWithoutSelector(service) ? 'RequireDualStack' : 'SingleStack'
}

const isHeadlessWithoutSelector = ({ spec }: Service): boolean =>
  spec.clusterIP === headless && Object.keys(spec.selector ?? {}).length === 0

const multiple = ['clusterIPs', 'ipFamilies'] as const

/** Removes the second address and family of a Service that becomes SingleStack, if the client has not changed these lists. */
function releaseSecondary({ spec }: Service, old: Service): void {
  for (const field of multiple) {
    const [first, ...rest] = spec[field] ?? []
    const isSame = JSON.stringify(spec[field]) === JSON.stringify(old.spec[field])
    if (first !== undefined && rest.length > 0 && isSame) spec[field] = [first]
  }
}

const releases = { clusterIPs: 'cluster IP', ipFamilies: 'IP family' }

/** Returns the errors of an update that shortens the lists without changing the policy. */
function releaseErrors({ spec }: Service, old: Service): FieldError[] {
  return multiple
    .filter((field) => (spec[field] ?? []).length > 0 && (spec[field] ?? []).length < (old.spec[field] ?? []).length)
    .map((field) => {
      const text = `must be 'SingleStack' to release the secondary ${releases[field]}`
      return invalidValue('spec.ipFamilyPolicy', spec.ipFamilyPolicy, text)
    })
}

/** Returns the errors of a SingleStack Service with two cluster IPs or two families. */
function stackErrors({ spec }: Service): FieldError[] {
  if (spec.ipFamilyPolicy !== 'SingleStack') return []
  const text = (what: string): string => `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`
  const errors: FieldError[] = []
  const field = 'spec.ipFamilyPolicy'
  if (spec.clusterIPs?.length === 2) errors.push(invalidValue(field, spec.ipFamilyPolicy, text('cluster IPs')))
  if (spec.ipFamilies?.length === 2) errors.push(invalidValue(field, spec.ipFamilyPolicy, text('IP families')))
  return errors
}

/** Adds the families of the requested cluster IPs to ipFamilies. */
function familiesOfAddresses({ spec }: Service, configured: string): FieldError[] {
  const errors: FieldError[] = []
  const families = [...(spec.ipFamilies ?? [])]
  for (const [index, address] of (spec.clusterIPs ?? []).entries()) {
    if (address === headless) break
    if (index < families.length) continue
    const family = familyOf(address)
    if (family === configured) families.push(family)
    else errors.push(invalidValue(`spec.clusterIPs[${index}]`, spec.clusterIPs, `${family} is not configured on this cluster`))
  }
  if (families.length > 0) spec.ipFamilies = families
  return errors
}

/** Sets ipFamilies of a headless Service without a selector: its endpoints may be of any family, configured or not. */
function familiesWithoutSelector({ spec }: Service, configured: string): void {
  const [first = configured, ...rest] = spec.ipFamilies ?? []
  const second = rest.length === 0 && spec.ipFamilyPolicy !== 'SingleStack' ? [otherFamily(first)] : rest
  spec.ipFamilies = [first, ...second]
}

/** Returns the errors of families that the cluster is not configured for. */
function configurationErrors({ spec }: Service, configured: string): FieldError[] {
  const errors: FieldError[] = []
  if (spec.ipFamilyPolicy === 'RequireDualStack') {
    const text = 'this cluster is not configured for dual-stack services'
    errors.push(invalidValue('spec.ipFamilyPolicy', spec.ipFamilyPolicy, text))
  }
  for (const [index, family] of (spec.ipFamilies ?? []).entries()) {
    if (family !== configured) errors.push(invalidValue(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster'))
  }
  return errors
}

/** Sets ipFamilyPolicy and ipFamilies. */
function initFamilies(service: Service, old: Service | undefined, configured: string): void {
  if (!needsClusterIp(service) || keepsPreference(service, old)) return
  const { spec } = service
  spec.ipFamilyPolicy ??= policyOf(service, old)
  refuse(service, validateClusterIps(service, old))
  const isSingle = spec.ipFamilyPolicy === 'SingleStack'
  if (old !== undefined && isSingle) releaseSecondary(service, old)
  const kept = old === undefined || isSingle ? [] : releaseErrors(service, old)
  refuse(service, [...kept, ...stackErrors(service), ...familiesOfAddresses(service, configured)])
  if (isHeadlessWithoutSelector(service)) {
    familiesWithoutSelector(service, configured)
    return
  }
  refuse(service, configurationErrors(service, configured))
  if ((spec.ipFamilies ?? []).length === 0) spec.ipFamilies = [configured]
}

/**
 * Returns a free address: the first address for the API server's own Service, for others the next free one after a random
 * address in the upper part of the CIDR. The lower part is reserved for addresses that users choose.
 */
function nextAddress(service: Service, context: StrategyContext, block: Cidr): string {
  const { namespace, name } = service.metadata
  const base = block.address.bits
  if (context.write.dryRun) return formatIpv4(base)
  const allocations = allocationsOf(context, 'services/', addressesOf)
  const isFree = (address: string): boolean => allocations.isFree(address, context)
  const size = Number(1n << BigInt(32 - block.prefix)) - 2
  if (namespace === 'default' && name === 'kubernetes' && isFree(formatIpv4(base + 1n))) return formatIpv4(base + 1n)
  const reserved = Math.min(Math.max(16, Math.floor(size / 16)), 256)
  const low = size > reserved ? reserved : 0
  const upper = size - low
  const start = context.services.names.number(upper)
  for (let index = 0; index < size; index++) {
    const offset = index < upper ? low + 1 + ((start + index) % upper) : size - index
    const address = formatIpv4(base + BigInt(offset))
    if (isFree(address)) return address
  }
  const why = `failed to allocate a serviceIP for Service ${JSON.stringify(name ?? '')}: range is full`
  throw new ApiError(500, 'InternalError', `Internal error occurred: ${why}`, { causes: [{ message: why }] })
}

function staticAddressError(address: string, context: StrategyContext, block: Cidr): string | undefined {
  const parsed = parseIp(address)
  const last = block.address.bits + (1n << BigInt(32 - block.prefix)) - 1n
  const within = parsed !== undefined && contains(block, parsed) && parsed.bits !== block.address.bits && parsed.bits !== last
  // For a dry run kube-apiserver asks the allocator of one CIDR and not that of all ServiceCIDRs, so the message differs.
  if (!within && context.write.dryRun)
    return `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${context.services.serviceCidr}`
  if (!within) return 'the provided network does not match the current range'
  if (context.write.dryRun) return undefined
  const free = allocationsOf(context, 'services/', addressesOf).isFree(address, context)
  return free ? undefined : 'provided IP is already allocated'
}

/**
 * Returns why no IPAddress can refer to the Service. kube-apiserver creates it before it validates the Service, and so rejects a
 * Service without a usable name.
 */
function referenceError({ metadata: { namespace, name } }: Service, address: string): string | undefined {
  const parentRef = { resource: 'services', ...(namespace !== undefined && { namespace }), ...(name !== undefined && { name }) }
  const errors = validateIpAddress({ spec: { parentRef } } as IPAddress)
  return errors.length === 0 ? undefined : invalid(addressKind, address, errors).message
}

function allocateAddress(service: Service, context: StrategyContext, block: Cidr): void {
  const { spec } = service
  const [requested = ''] = spec.clusterIPs ?? []
  const problem = requested === '' ? undefined : staticAddressError(requested, context, block)
  if (problem !== undefined) {
    refuse(service, [invalidValue('spec.clusterIPs', spec.clusterIPs, `failed to allocate IP ${requested}: ${problem}`)])
  }
  const address = requested === '' ? nextAddress(service, context, block) : requested
  const unfit = context.write.dryRun ? undefined : referenceError(service, address)
  if (unfit !== undefined) {
    const allocated = requested === '' ? '' : ` ${requested}`
    refuse(service, [invalidValue('spec.clusterIPs', spec.clusterIPs ?? [''], `failed to allocate IP${allocated}: ${unfit}`)])
  }
  if (!context.write.dryRun) allocationsOf(context, 'services/', addressesOf).take(address, service.metadata)
  spec.clusterIP = address
  spec.clusterIPs = [address]
}

/**
 * Sets the IP families of a Service and allocates its cluster IP.
 * @param old absent for a create
 * @throws ApiError 422 if the requested families or cluster IP are not available
 */
export function allocateAddresses(service: Service, old: Service | undefined, context: StrategyContext): void {
  const block = blockOf(context)
  initFamilies(service, old, block.address.family)
  const isNew = old === undefined || (!needsClusterIp(old) && needsClusterIp(service))
  if (isNew && needsClusterIp(service) && service.spec.clusterIPs?.[0] !== headless) allocateAddress(service, context, block)
}

/** Checks of the IP and IP family fields of a Service. Follows ValidateServiceClusterIPsRelatedFields. */
import { asJson, internalFieldError, invalidValue } from '../../../meta/field-error.ts'
import { isIpv6, parseIp } from '../../../net/ip.ts'
import { IPFamilyPolicy, type Service } from '../../generated/types/core.v1.ts'
import { headless, needsClusterIp } from '../../service-types.ts'
import { checkIp, type Errors, validator } from '../checks.ts'

const families = ['IPv4', 'IPv6']
const field = 'spec.clusterIPs'

/** Whether the Service is headless (clusterIP: None). */
export const isHeadless = ({ spec }: Service): boolean => spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === headless

function checkPrimary({ spec }: Service, errors: Errors): void {
  const { clusterIP = '', clusterIPs = [] } = spec
  if (clusterIP === '') {
    if (clusterIPs.length > 0) errors.invalid(field, clusterIPs, 'must be empty when `clusterIP` is not specified')
  } else if (clusterIPs.length === 0) errors.required(field)
  else if (clusterIPs[0] !== clusterIP) errors.invalid(field, clusterIPs, 'first value must match `clusterIP`')
}

function checkFamilies({ spec }: Service, errors: Errors): void {
  const { ipFamilies = [], ipFamilyPolicy } = spec
  const seen = new Set<string>()
  for (const [index, family] of ipFamilies.entries()) {
    if (!families.includes(family)) errors.notSupported(`spec.ipFamilies[${index}]`, family, families)
    errors.checkUnique(seen, family, `spec.ipFamilies[${index}]`, asJson(family))
  }
  if (ipFamilyPolicy !== undefined && !IPFamilyPolicy.includes(ipFamilyPolicy)) {
    errors.notSupported('spec.ipFamilyPolicy', ipFamilyPolicy, IPFamilyPolicy)
  }
}

function checkAddresses(clusterIPs: readonly string[], before: ReadonlySet<string>, errors: Errors): void {
  for (const [index, address] of clusterIPs.entries()) {
    if (index > 0 || address !== headless) checkIp(address, `${field}[${index}]`, errors, before)
    else if (clusterIPs.length > 1) errors.invalid(field, clusterIPs, "'None' must be the first and only value")
  }
}

function checkFamilyOfAddresses({ spec }: Service, errors: Errors): void {
  const { ipFamilies = [], clusterIPs = [] } = spec
  for (const [index, address] of clusterIPs.entries()) {
    const family = ipFamilies[index]
    if (family === undefined || !families.includes(family) || (family === 'IPv6') === isIpv6(address)) continue
    errors.push(
      invalidValue(`${field}[${index}]`, address, `expected an ${family} value as indicated by \`ipFamilies[${index}]\``),
    )
  }
}

/** Validates clusterIPs, ipFamilies and ipFamilyPolicy. */
export const validateClusterIps = validator((errors, service: Service, old: Service | undefined) => {
  if (!needsClusterIp(service)) return
  const { clusterIPs = [] } = service.spec
  checkPrimary(service, errors)
  checkFamilies(service, errors)
  const found = errors.length
  checkAddresses(clusterIPs, new Set(old?.spec.clusterIPs), errors)
  const hasInvalid = errors.length > found
  if (clusterIPs.length > 2) errors.invalid(field, clusterIPs, 'may only hold up to 2 values')
  if (hasInvalid) return
  const unreadable = clusterIPs.length > 1 ? clusterIPs.findIndex((address) => parseIp(address) === undefined) : -1
  if (unreadable >= 0) {
    const why = `invalid IP[${unreadable}]: ${clusterIPs[unreadable]}`
    errors.push(internalFieldError(field, `failed to check for dual stack with error:${why}`))
  }
  if (clusterIPs.length > 1 && (unreadable >= 0 || clusterIPs.every(isIpv6) || !clusterIPs.some(isIpv6))) {
    errors.invalid(field, clusterIPs, 'may specify no more than one IP for each IP family')
  }
  if (!isHeadless(service)) checkFamilyOfAddresses(service, errors)
})

const changed = 'may not change once set'

function checkAddressChange(service: Service, old: Service, errors: Errors): void {
  const { clusterIPs = [], ipFamilyPolicy } = service.spec
  const before = old.spec.clusterIPs ?? []
  if (isHeadless(service) && isHeadless(old)) return
  if (before.length === clusterIPs.length) {
    for (const [index, address] of before.entries()) {
      if (address !== clusterIPs[index]) errors.invalid(`${field}[${index}]`, clusterIPs, changed)
    }
    return
  }
  if (clusterIPs.length === 0) errors.invalid(`${field}[0]`, clusterIPs, 'primary clusterIP can not be unset')
  else if (before.length > 0 && clusterIPs[0] !== before[0]) errors.invalid(`${field}[0]`, clusterIPs, changed)
  if (before.length > clusterIPs.length && clusterIPs.length === 1 && ipFamilyPolicy !== 'SingleStack') {
    errors.invalid('spec.ipFamilyPolicy', ipFamilyPolicy, "must be set to 'SingleStack' when releasing the secondary clusterIP")
  }
}

function checkFamilyChange(service: Service, old: Service, errors: Errors): void {
  const { ipFamilies = [], ipFamilyPolicy, clusterIPs } = service.spec
  const before = old.spec.ipFamilies ?? []
  if (isHeadless(service) || isHeadless(old)) return
  const at = 'spec.ipFamilies[0]'
  if (before.length === ipFamilies.length) {
    for (const [index, family] of before.entries()) if (family !== ipFamilies[index]) errors.invalid(at, ipFamilies, changed)
    return
  }
  if (before.length > 0 && ipFamilies.length > 0 && ipFamilies[0] !== before[0]) errors.invalid(at, clusterIPs, changed)
  if (before.length > ipFamilies.length && ipFamilies.length === 1 && ipFamilyPolicy !== 'SingleStack') {
    errors.invalid('spec.ipFamilyPolicy', ipFamilyPolicy, "must be set to 'SingleStack' when releasing the secondary ipFamily")
  }
}

/** Validates changes of clusterIPs and ipFamilies: the first of each is immutable while the Service has a cluster IP. */
export function checkClusterIpsChange(service: Service, old: Service, errors: Errors): void {
  if (!needsClusterIp(service) || !needsClusterIp(old)) return
  checkAddressChange(service, old, errors)
  checkFamilyChange(service, old, errors)
}

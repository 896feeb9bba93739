/** Checks of IPAddresses and ServiceCIDRs. Follows k8s.io/kubernetes/pkg/apis/networking/validation. */
import { type FieldError, invalidValue, required } from '../../../meta/field-error.ts'
import { isPathSegmentName } from '../../../meta/names.ts'
import { parseCidr } from '../../../net/ip.ts'
import { explicitEmpty } from '../../../schema/explicit-empty.ts'
import type { IPAddress, ParentReference, ServiceCIDR } from '../../generated/types/networking.v1.ts'
import { checkCanonicalCidr, Errors, validator } from '../checks.ts'

function checkParent({ group = '', resource = '', namespace = '', name = '' }: ParentReference, errors: Errors): void {
  const field = 'spec.parentRef'
  if (group !== '') errors.checkDnsSubdomain(group, `${field}.group`)
  for (const [part, value] of Object.entries({ resource, name })) {
    if (value === '') errors.required(`${field}.${part}`)
    else errors.checkMessages(isPathSegmentName(value), value, `${field}.${part}`)
  }
  if (namespace !== '') errors.checkMessages(isPathSegmentName(namespace), namespace, `${field}.namespace`)
}

/** Validates an IPAddress, except its metadata. */
export const validateIpAddress = validator((errors, { spec: { parentRef } }: IPAddress) => {
  if (parentRef === undefined || parentRef === null) errors.required('spec.parentRef')
  else checkParent(parentRef, errors)
})

/** Converts a reference to the internal form that error messages quote. */
function toInternal(parent: ParentReference | null | undefined): unknown {
  if (parent === undefined || parent === null) return null
  const { group = '', resource = '', namespace = '', name = '' } = parent
  return { Group: group, Resource: resource, Namespace: namespace, Name: name }
}

/** Validates the differences between the old and the new IPAddress. */
export const validateIpAddressChange = validator((errors, address: IPAddress, old: IPAddress) => {
  errors.checkImmutable(toInternal(address.spec.parentRef), toInternal(old.spec.parentRef), 'spec.parentRef')
})

const field = 'spec.cidrs'
const immutable = 'field is immutable'
const perFamily = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'

/** Validates a ServiceCIDR, except its metadata. */
export function validateServiceCidr({ spec: { cidrs = [] } }: ServiceCIDR): FieldError[] {
  const errors = new Errors()
  if (cidrs.length === 0) return [required(field, 'at least one CIDR required')]
  if (cidrs.length > 2) return [invalidValue(field, { CIDRs: cidrs }, 'may only hold up to 2 values')]
  for (const [index, block] of cidrs.entries()) checkCanonicalCidr(block, `${field}[${index}]`, errors)
  const [first, second] = cidrs.map((block) => parseCidr(block)?.address.family)
  if (first !== undefined && first === second) errors.invalid(field, cidrs, perFamily)
  return errors
}

/** Validates an update of a ServiceCIDR: a block of the other IP family may be added. */
export function validateServiceCidrUpdate(cidr: ServiceCIDR, { spec: { cidrs: old = [] } }: ServiceCIDR): FieldError[] {
  const { cidrs = [] } = cidr.spec
  const changed = old.flatMap((block, index) =>
    block === cidrs[index] ? [] : [invalidValue(`${field}[${index}]`, cidrs[index], immutable)],
  )
  if (old.length === cidrs.length) return changed
  if (old.length === 1 && cidrs.length === 2) return [...changed, ...validateServiceCidr(cidr)]
  return [invalidValue(field, cidr.spec.cidrs ?? explicitEmpty(cidr.spec, 'cidrs') ?? null, immutable)]
}

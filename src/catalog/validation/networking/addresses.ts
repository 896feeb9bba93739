/** Checks of IPAddresses and ServiceCIDRs. Follows k8s.io/kubernetes/pkg/apis/networking/validation. */
import { type FieldError, invalidValue, required } from '../../../meta/field-error.ts'
import { isPathSegmentName } from '../../../meta/names.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { parseCidr } from '../../../net/ip.ts'
import { explicitEmpty } from '../../../schema/explicit-empty.ts'
import { checkCanonicalCidr, checkDnsSubdomain, checkImmutable, checkMessages, type Errors } from '../checks.ts'

interface ParentReference {
  group?: string
  resource?: string
  namespace?: string
  name?: string
}

interface IpAddress extends KubernetesObject {
  spec: { parentRef?: ParentReference | null }
}

function checkParent({ group = '', resource = '', namespace = '', name = '' }: ParentReference, errors: Errors): void {
  const field = 'spec.parentRef'
  if (group !== '') checkDnsSubdomain(group, `${field}.group`, errors)
  for (const [part, value] of Object.entries({ resource, name })) {
    if (value === '') errors.push(required(`${field}.${part}`))
    else checkMessages(isPathSegmentName(value), value, `${field}.${part}`, errors)
  }
  if (namespace !== '') checkMessages(isPathSegmentName(namespace), namespace, `${field}.namespace`, errors)
}

/** What is wrong with an IPAddress, its metadata left out. */
export function validateIpAddress({ spec: { parentRef } }: IpAddress): FieldError[] {
  const errors: Errors = []
  if (parentRef === undefined || parentRef === null) errors.push(required('spec.parentRef'))
  else checkParent(parentRef, errors)
  return errors
}

/** As Go names the fields. */
function shown(parent: ParentReference | null | undefined): unknown {
  if (parent === undefined || parent === null) return null
  const { group = '', resource = '', namespace = '', name = '' } = parent
  return { Group: group, Resource: resource, Namespace: namespace, Name: name }
}

/** What is wrong with how an IPAddress has changed. */
export function validateIpAddressChange(address: IpAddress, old: IpAddress): FieldError[] {
  const errors: Errors = []
  checkImmutable(shown(address.spec.parentRef), shown(old.spec.parentRef), 'spec.parentRef', errors)
  return errors
}

interface ServiceCidr extends KubernetesObject {
  spec: { cidrs?: string[] }
}

const field = 'spec.cidrs'
const immutable = 'field is immutable'
const perFamily = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'

/** What is wrong with a ServiceCIDR, its metadata left out. */
export function validateServiceCidr({ spec: { cidrs = [] } }: ServiceCidr): FieldError[] {
  const errors: Errors = []
  if (cidrs.length === 0) return [required(field, 'at least one CIDR required')]
  if (cidrs.length > 2) return [invalidValue(field, { CIDRs: cidrs }, 'may only hold up to 2 values')]
  for (const [index, block] of cidrs.entries()) checkCanonicalCidr(block, `${field}[${index}]`, errors)
  const [first, second] = cidrs.map((block) => parseCidr(block)?.address.family)
  if (first !== undefined && first === second) errors.push(invalidValue(field, cidrs, perFamily))
  return errors
}

/** What is wrong with a change of a ServiceCIDR: a block of the other family may be added. */
export function validateServiceCidrUpdate(cidr: ServiceCidr, { spec: { cidrs: old = [] } }: ServiceCidr): FieldError[] {
  const { cidrs = [] } = cidr.spec
  const changed = old.flatMap((block, index) =>
    block === cidrs[index] ? [] : [invalidValue(`${field}[${index}]`, cidrs[index], immutable)],
  )
  if (old.length === cidrs.length) return changed
  if (old.length === 1 && cidrs.length === 2) return [...changed, ...validateServiceCidr(cidr)]
  return [invalidValue(field, cidr.spec.cidrs ?? explicitEmpty(cidr.spec, 'cidrs') ?? null, immutable)]
}

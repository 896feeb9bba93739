/** Checks of EndpointSlices. Follows ValidateEndpointSlice of k8s.io/kubernetes/pkg/apis/discovery/validation. */
import { duplicate, type FieldError, invalidValue, notSupported, required, tooMany } from '../../../meta/field-error.ts'
import { isDns1123Label, isDns1123Subdomain, isLabelValue } from '../../../meta/names.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { validateLabels } from '../../../meta/object-meta-validation.ts'
import { parseIp } from '../../../net/ip.ts'
import {
  checkCanonicalIp,
  checkDnsLabel,
  checkDnsSubdomain,
  checkImmutable,
  checkIp,
  checkMessages,
  checkQualifiedName,
  checkRequiredSupported,
  type Errors,
  isSame,
} from '../checks.ts'
import { checkNonSpecialIp } from '../core/endpoint-ip.ts'

interface Hints {
  forZones?: { name: string }[]
  forNodes?: { name: string }[]
}

interface Endpoint {
  addresses: string[] | null
  nodeName?: string
  hostname?: string
  hints?: Hints
  deprecatedTopology?: Record<string, string>
}

interface Port {
  name?: string
  protocol?: string
  appProtocol?: string
}

interface EndpointSlice extends KubernetesObject {
  addressType: string
  endpoints: Endpoint[] | null
  ports: Port[] | null
}

const addressTypes = ['FQDN', 'IPv4', 'IPv6']
const protocols = ['SCTP', 'TCP', 'UDP']
const most = { topologyLabels: 16, addresses: 100, ports: 20000, endpoints: 1000, hints: 8 }

/** A domain name of at least two parts; what comes after the first error is not looked at. */
function checkDomain(value: string, field: string, errors: Errors): void {
  if (value === '') {
    errors.push(required(field))
    return
  }
  const name = value.endsWith('.') ? value.slice(0, -1) : value
  const labels = name.split('.')
  const messages = isDns1123Subdomain(name)
  const bad = labels.find((label) => isDns1123Label(label).length > 0)
  if (messages.length > 0) errors.push(invalidValue(field, name, messages.join(',')))
  else if (labels.length < 2) {
    errors.push(invalidValue(field, name, 'should be a domain with at least two segments separated by dots'))
  } else if (bad !== undefined) errors.push(invalidValue(field, bad, isDns1123Label(bad).join(',')))
}

/** How an address of each family is read, and how messages name the family. */
const families = {
  IPv4: { check: checkIp, text: 'must be an IPv4 address' },
  IPv6: { check: checkCanonicalIp, text: 'must be an IPv6 address' },
} as const

function checkAddress(value: string, type: string, list: string, field: string, errors: Errors): void {
  if (type === 'FQDN') checkDomain(value, field, errors)
  if (type !== 'IPv4' && type !== 'IPv6') return
  const { check, text } = families[type]
  const found = errors.length
  check(value, field, errors)
  if (errors.length > found) return
  if (parseIp(value)?.family !== type) errors.push(invalidValue(list, value, text))
  checkNonSpecialIp(value, field, errors)
}

type CheckName = (name: string, field: string, errors: Errors) => void

/** Each is named once. Gives whether there are not too many to look at. */
function checkHinted(names: readonly { name: string }[], check: CheckName, field: string, errors: Errors): boolean {
  if (names.length > most.hints) {
    errors.push(tooMany(field, names.length, most.hints))
    return false
  }
  for (const [index, { name }] of names.entries()) {
    const at = `${field}[${index}].name`
    if (names.slice(0, index).some((other) => other.name === name)) errors.push(duplicate(at, name))
    check(name, at, errors)
  }
  return true
}

const checkZone: CheckName = (name, field, errors) => checkMessages(isLabelValue(name), name, field, errors)

function checkEndpoint(endpoint: Endpoint, type: string, field: string, errors: Errors): void {
  const { nodeName, hostname, hints, deprecatedTopology = {} } = endpoint
  const addresses = endpoint.addresses ?? []
  const list = `${field}.addresses`
  if (addresses.length === 0) errors.push(required(list, 'must contain at least 1 address'))
  else if (addresses.length > most.addresses) errors.push(tooMany(list, addresses.length, most.addresses))
  for (const [index, address] of addresses.entries()) checkAddress(address, type, list, `${list}[${index}]`, errors)
  if (nodeName !== undefined) checkDnsSubdomain(nodeName, `${field}.nodeName`, errors)
  const labels = Object.keys(deprecatedTopology).length
  if (labels > most.topologyLabels) errors.push(tooMany(`${field}.deprecatedTopology`, labels, most.topologyLabels))
  errors.push(...validateLabels(deprecatedTopology, `${field}.deprecatedTopology`))
  if (hostname !== undefined) checkDnsLabel(hostname, `${field}.hostname`, errors)
  if (hints === undefined || !checkHinted(hints.forZones ?? [], checkZone, `${field}.hints.forZones`, errors)) return
  checkHinted(hints.forNodes ?? [], checkDnsSubdomain, `${field}.hints.forNodes`, errors)
}

function checkEndpoints(endpoints: readonly Endpoint[], type: string): Errors {
  if (endpoints.length > most.endpoints) return [tooMany('endpoints', endpoints.length, most.endpoints)]
  const errors: Errors = []
  for (const [index, endpoint] of endpoints.entries()) checkEndpoint(endpoint, type, `endpoints[${index}]`, errors)
  return errors
}

function checkPorts(ports: readonly Port[], errors: Errors): void {
  if (ports.length > most.ports) {
    errors.push(tooMany('ports', ports.length, most.ports))
    return
  }
  const names = new Set<string>()
  for (const [index, { name = '', protocol, appProtocol }] of ports.entries()) {
    const field = `ports[${index}]`
    if (name !== '') checkDnsLabel(name, `${field}.name`, errors)
    if (names.has(name)) errors.push(duplicate(`${field}.name`, name))
    names.add(name)
    if (protocol === undefined) errors.push(required(`${field}.protocol`))
    else if (!protocols.includes(protocol)) errors.push(notSupported(`${field}.protocol`, protocol, protocols))
    if (appProtocol !== undefined) checkQualifiedName(appProtocol, `${field}.appProtocol`, errors)
  }
}

/** What is wrong with an EndpointSlice, its metadata left out. */
export function validateEndpointSlice(slice: EndpointSlice): FieldError[] {
  const errors: Errors = []
  checkRequiredSupported(slice.addressType, addressTypes, 'addressType', errors)
  checkPorts(slice.ports ?? [], errors)
  return [...errors, ...checkEndpoints(slice.endpoints ?? [], slice.addressType)]
}

/** What is wrong with a change of an EndpointSlice: endpoints that stay as they are stay good. */
export function validateEndpointSliceUpdate(slice: EndpointSlice, old: EndpointSlice): FieldError[] {
  const errors: Errors = []
  checkRequiredSupported(slice.addressType, addressTypes, 'addressType', errors)
  checkPorts(slice.ports ?? [], errors)
  const found = checkEndpoints(slice.endpoints ?? [], slice.addressType)
  if (found.length > 0 && !isSame(slice.endpoints, old.endpoints)) errors.push(...found)
  checkImmutable(slice.addressType, old.addressType, 'addressType', errors)
  return errors
}

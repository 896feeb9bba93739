/** Checks of EndpointSlices. Follows ValidateEndpointSlice of k8s.io/kubernetes/pkg/apis/discovery/validation. */
import { type FieldError, tooMany } from '../../../meta/field-error.ts'
import { isDns1123Label, isDns1123Subdomain, isLabelValue } from '../../../meta/names.ts'
import { validateLabels } from '../../../meta/object-meta-validation.ts'
import { parseIp } from '../../../net/ip.ts'
import { Protocol } from '../../generated/types/core.v1.ts'
import { AddressType, type Endpoint, type EndpointPort, type EndpointSlice } from '../../generated/types/discovery.v1.ts'
import { checkCanonicalIp, checkIp, Errors, isSame, itemsOf, validator } from '../checks.ts'
import { checkNonSpecialIp } from '../core/endpoint-ip.ts'

const most = { topologyLabels: 16, addresses: 100, ports: 20000, endpoints: 1000, hints: 8 }

/** Checks a domain name of at least two labels. Only the first error is reported. */
function checkDomain(value: string, field: string, errors: Errors): void {
  if (value === '') {
    errors.required(field)
    return
  }
  const name = value.endsWith('.') ? value.slice(0, -1) : value
  const labels = name.split('.')
  const messages = isDns1123Subdomain(name)
  const bad = labels.find((label) => isDns1123Label(label).length > 0)
  if (messages.length > 0) errors.invalid(field, name, messages.join(','))
  else if (labels.length < 2) {
    errors.invalid(field, name, 'should be a domain with at least two segments separated by dots')
  } else if (bad !== undefined) errors.invalid(field, bad, isDns1123Label(bad).join(','))
}

/** The parser and the name in messages of each address type. */
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
  if (parseIp(value)?.family !== type) errors.invalid(list, value, text)
  checkNonSpecialIp(value, field, errors)
}

type CheckName = (name: string, field: string, errors: Errors) => void

/** Checks that hints have unique names. Returns false if there are too many of them to validate. */
function checkHinted(names: readonly { name: string }[], check: CheckName, field: string, errors: Errors): boolean {
  if (names.length > most.hints) {
    errors.tooMany(field, names.length, most.hints)
    return false
  }
  for (const [index, { name }] of names.entries()) {
    const at = `${field}[${index}].name`
    if (names.slice(0, index).some((other) => other.name === name)) errors.duplicate(at, name)
    check(name, at, errors)
  }
  return true
}

const checkZone: CheckName = (name, field, errors) => errors.checkMessages(isLabelValue(name), name, field)

function checkEndpoint(endpoint: Endpoint, type: string, field: string, errors: Errors): void {
  const { nodeName, hostname, hints, deprecatedTopology = {} } = endpoint
  const addresses = endpoint.addresses ?? []
  const list = `${field}.addresses`
  if (addresses.length === 0) errors.required(list, 'must contain at least 1 address')
  else if (addresses.length > most.addresses) errors.tooMany(list, addresses.length, most.addresses)
  for (const [index, address] of addresses.entries()) checkAddress(address, type, list, `${list}[${index}]`, errors)
  if (nodeName !== undefined) errors.checkDnsSubdomain(nodeName, `${field}.nodeName`)
  const labels = Object.keys(deprecatedTopology).length
  if (labels > most.topologyLabels) errors.tooMany(`${field}.deprecatedTopology`, labels, most.topologyLabels)
  errors.push(...validateLabels(deprecatedTopology, `${field}.deprecatedTopology`))
  if (hostname !== undefined) errors.checkDnsLabel(hostname, `${field}.hostname`)
  if (hints === undefined || !checkHinted(hints.forZones ?? [], checkZone, `${field}.hints.forZones`, errors)) return
  checkHinted(hints.forNodes ?? [], (value, at) => errors.checkDnsSubdomain(value, at), `${field}.hints.forNodes`, errors)
}

function checkEndpoints(endpoints: readonly Endpoint[], type: string): FieldError[] {
  if (endpoints.length > most.endpoints) return [tooMany('endpoints', endpoints.length, most.endpoints)]
  const errors = new Errors()
  for (const [index, endpoint] of endpoints.entries()) checkEndpoint(endpoint, type, `endpoints[${index}]`, errors)
  return errors
}

function checkPorts(ports: readonly EndpointPort[], errors: Errors): void {
  if (ports.length > most.ports) {
    errors.tooMany('ports', ports.length, most.ports)
    return
  }
  const names = new Set<string>()
  for (const [field, { name = '', protocol, appProtocol }] of itemsOf(ports, 'ports')) {
    if (name !== '') errors.checkDnsLabel(name, `${field}.name`)
    errors.checkUnique(names, name, `${field}.name`)
    if (protocol === undefined) errors.required(`${field}.protocol`)
    else if (!Protocol.includes(protocol)) errors.notSupported(`${field}.protocol`, protocol, Protocol)
    if (appProtocol !== undefined) errors.checkQualifiedName(appProtocol, `${field}.appProtocol`)
  }
}

/** Validates an EndpointSlice, except its metadata. */
export function validateEndpointSlice(slice: EndpointSlice): FieldError[] {
  const errors = new Errors()
  errors.checkRequiredSupported(slice.addressType, AddressType, 'addressType')
  checkPorts(slice.ports ?? [], errors)
  return [...errors, ...checkEndpoints(slice.endpoints ?? [], slice.addressType)]
}

/** Validates an update of an EndpointSlice: endpoints that have not changed are not validated again. */
export const validateEndpointSliceUpdate = validator((errors, slice: EndpointSlice, old: EndpointSlice) => {
  errors.checkRequiredSupported(slice.addressType, AddressType, 'addressType')
  checkPorts(slice.ports ?? [], errors)
  const found = checkEndpoints(slice.endpoints ?? [], slice.addressType)
  if (found.length > 0 && !isSame(slice.endpoints, old.endpoints)) errors.push(...found)
  errors.checkImmutableChoice(slice.addressType, old.addressType, 'addressType')
})

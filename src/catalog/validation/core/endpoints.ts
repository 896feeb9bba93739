/** Checks of Endpoints. Follows ValidateEndpoints of k8s.io/kubernetes/pkg/apis/core/validation. */
import type { FieldError } from '../../../meta/field-error.ts'
import { type EndpointAddress, type EndpointPort, type Endpoints, Protocol } from '../../generated/types/core.v1.ts'
import { checkIp, type Errors, isSame, itemsOf, validator } from '../checks.ts'
import { checkNonSpecialIp } from './endpoint-ip.ts'

function checkAddress({ ip, hostname = '', nodeName }: EndpointAddress, field: string, errors: Errors): void {
  checkIp(ip, `${field}.ip`, errors)
  if (hostname !== '') errors.checkDnsLabel(hostname, `${field}.hostname`)
  if (nodeName !== undefined) errors.checkDnsSubdomain(nodeName, `${field}.nodeName`)
  checkNonSpecialIp(ip, `${field}.ip`, errors)
}

/**
 * Checks a port of Endpoints.
 * @param isAlone whether it is the only port, which needs no name
 */
function checkPort(
  { name = '', port, protocol = '', appProtocol }: EndpointPort,
  isAlone: boolean,
  field: string,
  errors: Errors,
): void {
  if (name !== '') errors.checkDnsLabel(name, `${field}.name`)
  else if (!isAlone) errors.required(`${field}.name`)
  errors.checkPortNumber(port, `${field}.port`)
  if (protocol === '') errors.required(`${field}.protocol`)
  else if (!Protocol.includes(protocol)) errors.notSupported(`${field}.protocol`, protocol, Protocol)
  if (appProtocol !== undefined) errors.checkQualifiedName(appProtocol, `${field}.appProtocol`)
}

/** Validates Endpoints, except their metadata. */
export const validateEndpoints = validator((errors, { subsets = [] }: Endpoints) => {
  for (const [field, { addresses = [], notReadyAddresses = [], ports = [] }] of itemsOf(subsets, 'subsets')) {
    if (addresses.length + notReadyAddresses.length === 0) {
      errors.required(field, 'must specify `addresses` or `notReadyAddresses`')
    }
    for (const [at, address] of addresses.entries()) checkAddress(address, `${field}.addresses[${at}]`, errors)
    for (const [at, address] of notReadyAddresses.entries()) checkAddress(address, `${field}.notReadyAddresses[${at}]`, errors)
    for (const [at, port] of ports.entries()) checkPort(port, ports.length === 1, `${field}.ports[${at}]`, errors)
  }
})

/** Validates an update of Endpoints: subsets that have not changed are not validated again. */
export function validateEndpointsUpdate(endpoints: Endpoints, old: Endpoints): FieldError[] {
  const errors = validateEndpoints(endpoints)
  return errors.length > 0 && isSame(endpoints.subsets, old.subsets) ? [] : errors
}

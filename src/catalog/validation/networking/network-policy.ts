import { validateLabelSelector } from '../../../meta/label-selector-object.ts'
import { contains, parseCidr } from '../../../net/ip.ts'
import type { NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '../../generated/types/networking.v1.ts'
import { checkCidr, type Errors, itemsOf, validator } from '../checks.ts'

const directions = ['Ingress', 'Egress']

function checkPolicyPort({ protocol, port, endPort }: NetworkPolicyPort, field: string, errors: Errors): void {
  if (protocol !== undefined) errors.checkSupported(protocol, ['TCP', 'UDP', 'SCTP'], `${field}.protocol`)
  const end = `${field}.endPort`
  if (port === undefined) {
    if (endPort !== undefined) errors.invalid(end, endPort, 'may not be specified when `port` is not specified')
  } else if (typeof port === 'string') {
    if (endPort !== undefined) errors.invalid(end, endPort, 'may not be specified when `port` is non-numeric')
    errors.checkPort(port, `${field}.port`)
  } else {
    errors.checkPortNumber(port, `${field}.port`)
    if (endPort === undefined) return
    // The message quotes port instead of endPort.
    if (endPort < port) errors.invalid(end, port, 'must be greater than or equal to `port`')
    errors.checkPortNumber(endPort, end)
  }
}

function checkBlock({ cidr, except = [] }: NonNullable<NetworkPolicyPeer['ipBlock']>, field: string, errors: Errors): void {
  if (cidr === '') {
    errors.required(`${field}.cidr`)
    return
  }
  checkCidr(cidr, `${field}.cidr`, errors)
  const block = parseCidr(cidr)
  if (block === undefined) return
  for (const [at, text] of itemsOf(except, `${field}.except`)) {
    checkCidr(text, at, errors)
    const inner = parseCidr(text)
    if (inner === undefined) continue
    if (!contains(block, inner.address) || block.prefix >= inner.prefix) {
      errors.invalid(at, text, 'must be a strict subset of `cidr`')
    }
  }
}

function checkPeer({ podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer, field: string, errors: Errors): void {
  errors.push(...validateLabelSelector(podSelector, `${field}.podSelector`))
  errors.push(...validateLabelSelector(namespaceSelector, `${field}.namespaceSelector`))
  if (ipBlock !== undefined) checkBlock(ipBlock, `${field}.ipBlock`, errors)
  const selects = podSelector !== undefined || namespaceSelector !== undefined
  if (!selects && ipBlock === undefined) errors.required(field, 'must specify a peer')
  else if (selects && ipBlock !== undefined) errors.forbidden(field, 'may not specify both ipBlock and another peer')
}

function checkRule(
  ports: readonly NetworkPolicyPort[],
  peers: readonly NetworkPolicyPeer[],
  side: string,
  field: string,
  errors: Errors,
): void {
  for (const [index, port] of ports.entries()) checkPolicyPort(port, `${field}.ports[${index}]`, errors)
  for (const [index, peer] of peers.entries()) checkPeer(peer, `${field}.${side}[${index}]`, errors)
}

/** Validates a NetworkPolicy, except its metadata. */
export const validateNetworkPolicy = validator((errors, { spec }: NetworkPolicy) => {
  const { ingress = [], egress = [], policyTypes = [] } = spec
  errors.push(...validateLabelSelector(spec.podSelector, 'spec.podSelector'))
  for (const [index, rule] of ingress.entries())
    checkRule(rule.ports ?? [], rule.from ?? [], 'from', `spec.ingress[${index}]`, errors)
  for (const [index, rule] of egress.entries()) checkRule(rule.ports ?? [], rule.to ?? [], 'to', `spec.egress[${index}]`, errors)
  if (policyTypes.length > directions.length) {
    errors.invalid('spec.policyTypes', policyTypes, 'may not specify more than two policyTypes')
    return
  }
  for (const [index, type] of policyTypes.entries()) {
    if (!directions.includes(type)) errors.notSupported(`spec.policyTypes[${index}]`, type, directions)
  }
})

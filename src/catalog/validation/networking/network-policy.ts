/** Checks of NetworkPolicies. Follows k8s.io/kubernetes/pkg/apis/networking/validation. */
import { type FieldError, forbiddenValue, invalidValue, notSupported, required } from '../../../meta/field-error.ts'
import { type LabelSelectorObject, validateLabelSelector } from '../../../meta/label-selector-object.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { contains, parseCidr } from '../../../net/ip.ts'
import { checkCidr, checkPort, checkPortNumber, checkSupported, type Errors } from '../checks.ts'

interface PolicyPort {
  protocol?: string
  port?: number | string
  endPort?: number
}

interface Peer {
  podSelector?: LabelSelectorObject
  namespaceSelector?: LabelSelectorObject
  ipBlock?: { cidr: string; except?: string[] }
}

interface NetworkPolicy extends KubernetesObject {
  spec: {
    podSelector?: LabelSelectorObject
    ingress?: { ports?: PolicyPort[]; from?: Peer[] }[]
    egress?: { ports?: PolicyPort[]; to?: Peer[] }[]
    policyTypes?: string[]
  }
}

const directions = ['Ingress', 'Egress']

function checkPolicyPort({ protocol, port, endPort }: PolicyPort, field: string, errors: Errors): void {
  if (protocol !== undefined) checkSupported(protocol, ['TCP', 'UDP', 'SCTP'], `${field}.protocol`, errors)
  const end = `${field}.endPort`
  if (port === undefined) {
    if (endPort !== undefined) errors.push(invalidValue(end, endPort, 'may not be specified when `port` is not specified'))
  } else if (typeof port === 'string') {
    if (endPort !== undefined) errors.push(invalidValue(end, endPort, 'may not be specified when `port` is non-numeric'))
    checkPort(port, `${field}.port`, errors)
  } else {
    checkPortNumber(port, `${field}.port`, errors)
    if (endPort === undefined) return
    // The message shows the port, not its end.
    if (endPort < port) errors.push(invalidValue(end, port, 'must be greater than or equal to `port`'))
    checkPortNumber(endPort, end, errors)
  }
}

function checkBlock({ cidr, except = [] }: NonNullable<Peer['ipBlock']>, field: string, errors: Errors): void {
  if (cidr === '') {
    errors.push(required(`${field}.cidr`))
    return
  }
  checkCidr(cidr, `${field}.cidr`, errors)
  const block = parseCidr(cidr)
  if (block === undefined) return
  for (const [index, text] of except.entries()) {
    const at = `${field}.except[${index}]`
    checkCidr(text, at, errors)
    const inner = parseCidr(text)
    if (inner === undefined) continue
    if (!contains(block, inner.address) || block.prefix >= inner.prefix) {
      errors.push(invalidValue(at, text, 'must be a strict subset of `cidr`'))
    }
  }
}

function checkPeer({ podSelector, namespaceSelector, ipBlock }: Peer, field: string, errors: Errors): void {
  errors.push(...validateLabelSelector(podSelector, `${field}.podSelector`))
  errors.push(...validateLabelSelector(namespaceSelector, `${field}.namespaceSelector`))
  if (ipBlock !== undefined) checkBlock(ipBlock, `${field}.ipBlock`, errors)
  const selects = podSelector !== undefined || namespaceSelector !== undefined
  if (!selects && ipBlock === undefined) errors.push(required(field, 'must specify a peer'))
  else if (selects && ipBlock !== undefined) errors.push(forbiddenValue(field, 'may not specify both ipBlock and another peer'))
}

function checkRule(ports: readonly PolicyPort[], peers: readonly Peer[], side: string, field: string, errors: Errors): void {
  for (const [index, port] of ports.entries()) checkPolicyPort(port, `${field}.ports[${index}]`, errors)
  for (const [index, peer] of peers.entries()) checkPeer(peer, `${field}.${side}[${index}]`, errors)
}

/** What is wrong with a NetworkPolicy, its metadata left out. */
export function validateNetworkPolicy({ spec }: NetworkPolicy): FieldError[] {
  const errors: Errors = []
  const { ingress = [], egress = [], policyTypes = [] } = spec
  errors.push(...validateLabelSelector(spec.podSelector, 'spec.podSelector'))
  for (const [index, rule] of ingress.entries())
    checkRule(rule.ports ?? [], rule.from ?? [], 'from', `spec.ingress[${index}]`, errors)
  for (const [index, rule] of egress.entries()) checkRule(rule.ports ?? [], rule.to ?? [], 'to', `spec.egress[${index}]`, errors)
  if (policyTypes.length > directions.length) {
    errors.push(invalidValue('spec.policyTypes', policyTypes, 'may not specify more than two policyTypes'))
    return errors
  }
  for (const [index, type] of policyTypes.entries()) {
    if (!directions.includes(type)) errors.push(notSupported(`spec.policyTypes[${index}]`, type, directions))
  }
  return errors
}

/** Checks of Nodes. Follows ValidateNode and ValidateNodeUpdate of k8s.io/kubernetes/pkg/apis/core/validation. */
import { goQuote, utf8Length } from '../../../go/text.ts'
import { internalFieldError } from '../../../meta/field-error.ts'
import { parseCidr } from '../../../net/ip.ts'
import type { Node } from '../../generated/types/core.v1.ts'
import { internalJson } from '../../internal-json.ts'
import { checkCidr, type Errors, validator } from '../checks.ts'
import { checkNodeAnnotations } from './node-annotations.ts'
import { checkAmountOf } from './resource-names.ts'
import { checkTaints } from './taints.ts'

/** The messages name `metadata.taints`, although taints are in the spec. */
const taintsField = 'metadata.taints'

function checkResources({ status }: Node, errors: Errors): void {
  for (const list of ['capacity', 'allocatable'] as const) {
    for (const [name, amount] of Object.entries(status[list] ?? {})) checkAmountOf(name, amount, `status.${list}.${name}`, errors)
  }
}

const longestFeature = 253
const featureName = /^([A-Z][a-zA-Z0-9]*)(\/[a-zA-Z][a-zA-Z0-9]*)*$/
const featureRule =
  "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"

function featureProblem(feature: string): string | undefined {
  if (utf8Length(feature) > longestFeature) return `must be no more than ${longestFeature} characters`
  return featureName.test(feature) ? undefined : featureRule
}

function checkFeatures(features: readonly string[], errors: Errors): void {
  for (const [index, feature] of features.entries()) {
    const field = `status.declaredFeatures[${index}]`
    const problem = featureProblem(feature)
    if (problem !== undefined) errors.invalid(field, feature, `invalid feature name ${goQuote(feature)}: ${problem}`)
    const next = features[index + 1]
    const at = `status.declaredFeatures[${index + 1}]`
    if (next === feature) errors.duplicate(at, next)
    else if (next !== undefined && next < feature) errors.invalid(at, next, 'list must be sorted alphabetically')
  }
}

/** Validates podCIDRs: two blocks must be of different IP families. */
function checkPodCidrs(blocks: readonly string[], errors: Errors): void {
  const field = 'spec.podCIDRs'
  for (const [index, block] of blocks.entries()) checkCidr(block, `${field}[${index}]`, errors)
  if (blocks.length < 2) return
  const families = blocks.map((block) => parseCidr(block)?.address.family)
  const bad = families.indexOf(undefined)
  if (bad >= 0) {
    const text = `invalid CIDR[${bad}]: <nil> (invalid CIDR address: ${blocks[bad]})`
    errors.push(internalFieldError(field, `invalid PodCIDRs. failed to check with dual stack with error:${text}`))
  }
  if (bad >= 0 || blocks.length > 2 || new Set(families).size < 2) {
    errors.invalid(field, blocks, 'may specify no more than one CIDR for each IP family')
  }
}

/** Validates a Node, except its metadata. */
export const validateNode = validator((errors, node: Node) => {
  const { taints = [], podCIDRs = [] } = node.spec
  checkNodeAnnotations(node.metadata, errors)
  checkTaints(taints, taintsField, errors)
  checkResources(node, errors)
  const swap = node.status.nodeInfo?.swap?.capacity
  if (swap !== undefined && swap <= 0) errors.invalid('metadata.nodeSwapStatus.capacity', swap, 'must be greater than zero')
  checkFeatures(node.status.declaredFeatures ?? [], errors)
  checkPodCidrs(podCIDRs, errors)
})

function checkAddresses(addresses: NonNullable<Node['status']['addresses']>, errors: Errors): void {
  const seen = new Set<string>()
  for (const [index, address] of addresses.entries()) {
    const key = `${address.type} ${address.address}`
    errors.checkUnique(seen, key, `status.addresses[${index}]`, internalJson('NodeAddress', address))
  }
}

const onceOnly = (name: string): string => `node updates may not change ${name} except from "" to valid`

function checkPodCidrsChange(blocks: readonly string[], old: readonly string[], errors: Errors): void {
  if (old.length === 0) return
  const isLonger = blocks.length !== old.length
  for (const [index, block] of isLonger ? [[0, ''] as const] : old.entries()) {
    if (isLonger || block !== blocks[index]) errors.forbidden('spec.podCIDRs', onceOnly('podCIDR'))
  }
}

/** Validates the differences between the old and the new Node, on updates of the object and of its status. */
export const validateNodeChange = validator((errors, node: Node, old: Node) => {
  const { spec, status } = node
  checkNodeAnnotations(node.metadata, errors)
  checkResources(node, errors)
  checkFeatures(status.declaredFeatures ?? [], errors)
  checkAddresses(status.addresses ?? [], errors)
  checkPodCidrsChange(spec.podCIDRs ?? [], old.spec.podCIDRs ?? [], errors)
  const { providerID = '' } = old.spec
  if (providerID !== '' && providerID !== spec.providerID) errors.forbidden('spec.providerID', onceOnly('providerID'))
  checkTaints(spec.taints ?? [], taintsField, errors)
  if ((spec.externalID ?? '') !== (old.spec.externalID ?? '')) errors.forbidden('spec.externalID', 'may not be updated')
})

/** The Node of a kubelet, and the objects that have its name or refer to it. */
import type { Node, PersistentVolumeClaim } from '../../../../catalog/generated/types/core.v1.ts'
import { parseRequest } from '../../../../catalog/validation/certificates/request.ts'
import { isSame } from '../../../../catalog/validation/checks.ts'
import { goQuote } from '../../../../go/text.ts'
import { jsonDifference } from '../../../../go/unified-diff.ts'
import type { KubernetesObject } from '../../../../meta/object-meta.ts'
import { DerError } from '../../../../net/der.ts'
import { type AdmitNode, nameOf, refusal } from './request.ts'

type Labels = Readonly<Record<string, string>>

/** Labels of Kubernetes that a kubelet may set on its Node. */
const kubeletLabels: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
])

/** Whether a label's domain is one of these or below it. */
const isIn = (label: string, ...domains: readonly string[]): boolean => {
  const domain = label.includes('/') ? (label.split('/', 1)[0] ?? '') : ''
  return domains.some((one) => domain === one || domain.endsWith(`.${one}`))
}

const isForbidden = (label: string): boolean => {
  if (isIn(label, 'node-restriction.kubernetes.io')) return true
  const isOfKubelet = kubeletLabels.has(label) || isIn(label, 'kubelet.kubernetes.io', 'node.kubernetes.io')
  return isIn(label, 'kubernetes.io', 'k8s.io') && !isOfKubelet
}

/** Returns the changed labels that a kubelet must not change, sorted. */
function forbiddenLabels(labels: Labels = {}, before: Labels = {}): string[] {
  const all = new Set([...Object.keys(labels), ...Object.keys(before)])
  return [...all].filter((label) => labels[label] !== before[label] && isForbidden(label)).sort()
}

/** Returns the reason to reject the registration of a Node. */
function createRefusal(node: string, { spec, metadata }: Node): string | undefined {
  if (spec?.configSource !== undefined) {
    return `node ${goQuote(node)} is not allowed to create pods with a non-nil configSource`
  }
  const labels = forbiddenLabels(metadata.labels)
  return labels.length === 0
    ? undefined
    : `node ${goQuote(node)} is not allowed to set the following labels: ${labels.join(', ')}`
}

/** Returns the reason to reject a change of a Node. */
function updateRefusal(node: string, { spec, metadata }: Node, old: Node): string | undefined {
  const quoted = goQuote(node)
  if (spec?.configSource !== undefined && !isSame(spec.configSource, old.spec?.configSource)) {
    return `node ${quoted} is not allowed to update configSource to a new non-nil configSource`
  }
  if (!isSame(spec?.taints ?? [], old.spec?.taints ?? [])) return `node ${quoted} is not allowed to modify taints`
  if (!isSame(metadata.ownerReferences ?? [], old.metadata.ownerReferences ?? [])) {
    return `node ${quoted} is not allowed to modify ownerReferences`
  }
  const labels = forbiddenLabels(metadata.labels, old.metadata.labels)
  return labels.length === 0 ? undefined : `is not allowed to modify labels: ${labels.join(', ')}`
}

/** Admits requests for the Node itself. */
export const admitNode: AdmitNode = (request) => {
  const { attributes, node, object, old } = request
  const requested = nameOf(request)
  if (requested !== node) {
    throw refusal(request, `node ${goQuote(node)} is not allowed to modify node ${goQuote(requested)}`)
  }
  const { operation } = attributes
  const why =
    operation === 'CREATE'
      ? createRefusal(node, object as Node)
      : operation === 'UPDATE'
        ? updateRefusal(node, object as Node, old as Node)
        : undefined
  if (why !== undefined) throw refusal(request, why)
}

/** Admits requests for the Lease of the node. */
export const admitLease: AdmitNode = (request) => {
  if (request.attributes.namespace !== 'kube-node-lease') {
    throw refusal(request, 'can only access leases in the "kube-node-lease" system namespace')
  }
  if (nameOf(request) === request.node) return
  throw refusal(request, 'can only access node lease with the same name as the requesting node')
}

/** Admits requests for the CSINode of the node. */
export const admitCsiNode: AdmitNode = (request) => {
  if (nameOf(request) === request.node) return
  throw refusal(request, 'can only access CSINode with the same name as the requesting node')
}

/** Admits ResourceSlices of the node. */
export const admitResourceSlice: AdmitNode = (request) => {
  const { attributes, node, object, old } = request
  const { operation } = attributes
  if (operation !== 'CREATE' && operation !== 'DELETE') return
  const slice = (operation === 'CREATE' ? object : old) as { readonly spec?: { readonly nodeName?: string } } | undefined
  if (slice?.spec?.nodeName === node) return
  throw refusal(request, `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`)
}

/** Returns a claim without the fields that a kubelet may change. */
function fixedPart(claim: KubernetesObject): KubernetesObject {
  const { metadata, spec, status = {} } = claim as PersistentVolumeClaim
  const { resourceVersion: _version, managedFields: _managers, ...fixed } = metadata
  const { capacity: _c, conditions: _d, allocatedResources: _r, allocatedResourceStatuses: _s, ...fixedStatus } = status
  return { metadata: fixed, spec, status: fixedStatus }
}

/** Admits the status of claims, which a kubelet writes after a volume has been resized. */
export const admitClaimStatus: AdmitNode = (request) => {
  const { attributes, node, object, old } = request
  if (attributes.operation !== 'UPDATE' || old === undefined) {
    throw refusal(request, `unexpected operation ${goQuote(attributes.operation)}`)
  }
  const [before, now] = [fixedPart(old), fixedPart(object)]
  if (isSame(before, now)) return
  const why = 'is not allowed to update fields other than status.quantity and status.conditions'
  throw refusal(request, `node ${goQuote(node)} ${why}: ${jsonDifference(before, now)}`)
}

const nodeSigners: ReadonlySet<string> = new Set(['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet'])

/** Admits certificate requests for the node's own name. */
export const admitCertificateRequest: AdmitNode = (request) => {
  const { attributes, node, object } = request
  if (attributes.operation !== 'CREATE') return
  const spec = object.spec as { readonly signerName?: string; readonly request?: string | null }
  if (!nodeSigners.has(spec.signerName ?? '')) return
  const name = `system:node:${node}`
  try {
    if (parseRequest(spec.request ?? '').commonName === name) return
  } catch (error) {
    if (!(error instanceof DerError)) throw error
    throw refusal(request, `unable to parse csr: ${error.message}`)
  }
  throw refusal(request, `can only create a node CSR with CN=${name}`)
}

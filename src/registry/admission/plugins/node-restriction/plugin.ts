/**
 * The admission plugin NodeRestriction: kubelets may write only objects of their own node. Disabled by default in kube-apiserver;
 * every installer enables it.
 */
import { goQuote } from '../../../../go/text.ts'
import type { User } from '../../../../meta/user.ts'
import { type AdmissionAttributes, type AdmissionHandler, type AdmissionPlugin, admissionForbidden } from '../../plugin.ts'
import { admitCertificateRequest, admitClaimStatus, admitCsiNode, admitLease, admitNode, admitResourceSlice } from './nodes.ts'
import { admitEviction, admitPod, admitPodStatus } from './pods.ts'
import { type AdmitNode, refusal } from './request.ts'
import { admitTokenRequest } from './tokens.ts'

const prefix = 'system:node:'

/** Returns the name of the node that a user is; undefined for other users. Follows the default node identifier. */
const nodeNameOf = ({ name, groups }: User): string | undefined =>
  name.startsWith(prefix) && groups.includes('system:nodes') ? name.slice(prefix.length) : undefined

const refuseAll =
  (why: (attributes: AdmissionAttributes) => string): AdmitNode =>
  (request) => {
    throw refusal(request, why(request.attributes))
  }

const otherOfPod = refuseAll(
  ({ subresource }) => `unexpected pod subresource ${goQuote(subresource)}, only 'status' and 'eviction' are allowed`,
)

/** The rules by resource, then by subresource; `*` for other subresources. */
const rules: Readonly<Record<string, Readonly<Record<string, AdmitNode>>>> = {
  pods: { '': admitPod, status: admitPodStatus, eviction: admitEviction, '*': otherOfPod },
  nodes: { '*': admitNode },
  persistentvolumeclaims: { status: admitClaimStatus, '*': refuseAll(() => 'may only update PVC status') },
  serviceaccounts: { token: admitTokenRequest },
  'podcertificaterequests.certificates.k8s.io': { '*': refuseAll(() => 'PodCertificateRequest feature gate is disabled') },
  'leases.coordination.k8s.io': { '*': admitLease },
  'csinodes.storage.k8s.io': { '*': admitCsiNode },
  'resourceslices.resource.k8s.io': { '*': admitResourceSlice },
  'certificatesigningrequests.certificates.k8s.io': { '*': admitCertificateRequest },
}

const admit: NonNullable<AdmissionHandler['admit']> = (attributes, object, old, context) => {
  const { user, kind, subresource } = attributes
  const node = nodeNameOf(user)
  if (node === undefined) return
  if (node === '') throw admissionForbidden(attributes, object, `could not determine node from user ${goQuote(user.name)}`)
  if (kind.definition !== undefined) return
  const { [kind.storage.prefix]: ofResource } = rules
  const rule = ofResource?.[subresource] ?? ofResource?.['*']
  rule?.({ attributes, node, object, old, context })
}

/** Checks CREATE, UPDATE and DELETE of a node's user in the mutating phase. Follows the plugin of k8s.io/kubernetes. */
export const nodeRestriction: AdmissionPlugin = {
  name: 'NodeRestriction',
  handlers: [{ operations: ['CREATE', 'UPDATE', 'DELETE'], resources: 'any', admit }],
}

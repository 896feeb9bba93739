/**
 * Defaults of the groups that configure a cluster. Follows the defaults.go of each group in k8s.io/kubernetes/pkg/apis,
 * k8s.io/apiextensions-apiserver and k8s.io/kube-aggregator.
 */
import { isObject } from '../../go/json-object.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { rfc3339Seconds } from '../../go/time.ts'
import { normalizeSelector } from '../conversion/disruption-budget.ts'
import { isAbsent, isZero, type Rule, type Rules, sequence, whenAbsent, whenZero } from './rule.ts'

const isEmptyList = (value: unknown): boolean => !Array.isArray(value) || value.length === 0

const networkPolicySpec: Rule = (spec) => {
  if (isEmptyList(spec.policyTypes)) spec.policyTypes = isEmptyList(spec.egress) ? ['Ingress'] : ['Ingress', 'Egress']
}

/** Rules of networking.k8s.io. */
export const networkingRules: Rules = {
  'v1.NetworkPolicySpec': networkPolicySpec,
  'v1.NetworkPolicyPort': whenAbsent({ protocol: 'TCP' }),
  'v1.IngressClassParametersReference': whenAbsent({ scope: 'Cluster' }),
}

const rbacGroup = 'rbac.authorization.k8s.io'
const groupOfSubject: Readonly<Record<string, string>> = { User: rbacGroup, Group: rbacGroup }

const subject: Rule = (value) => {
  const group = groupOfSubject[String(value.kind)]
  if (isZero(value.apiGroup) && group !== undefined) value.apiGroup = group
}

/** Rules of rbac.authorization.k8s.io. */
export const rbacRules: Rules = {
  'v1.RoleRef': whenZero({ apiGroup: rbacGroup }),
  'v1.Subject': subject,
}

/** Rules of authentication.k8s.io. */
export const authenticationRules: Rules = {
  'v1.TokenRequestSpec': whenAbsent({ expirationSeconds: 3600 }),
}

/** Rules of storage.k8s.io. */
export const storageRules: Rules = {
  // For the inline volumes of VolumeAttachments.
  'v1.HostPathVolumeSource': whenAbsent({ type: '' }),
  'v1.StorageClass': whenAbsent({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  'v1.CSIDriverSpec': sequence(
    whenAbsent({
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      requiresRepublish: false,
      seLinuxMount: false,
    }),
    (spec) => {
      if (isEmptyList(spec.volumeLifecycleModes)) spec.volumeLifecycleModes = ['Persistent']
    },
  ),
}

const webhook: JsonObject = {
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
}

/** Rules of admissionregistration.k8s.io. */
export const admissionRules: Rules = {
  'v1.ValidatingWebhook': whenAbsent(webhook),
  'v1.MutatingWebhook': whenAbsent({ ...webhook, reinvocationPolicy: 'Never' }),
  'v1.RuleWithOperations': whenAbsent({ scope: '*' }),
  'v1.NamedRuleWithOperations': whenAbsent({ scope: '*' }),
  'v1.ServiceReference': whenAbsent({ port: 443 }),
  'v1.ValidatingAdmissionPolicySpec': whenAbsent({ failurePolicy: 'Fail' }),
  'v1.MutatingAdmissionPolicySpec': whenAbsent({ failurePolicy: 'Fail' }),
  'v1.MatchResources': whenAbsent({ matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} }),
}

const serviceReference: Rules = { 'v1.ServiceReference': whenAbsent({ port: 443 }) }

interface CustomResourceDefinition extends JsonObject {
  spec: JsonObject & { versions: { name: string; storage: boolean }[] | null }
  status: JsonObject
}

const storedVersions: Rule = ({ spec, status }: CustomResourceDefinition) => {
  const stored = (spec.versions ?? []).find((version) => version.storage)
  if (isEmptyList(status.storedVersions) && stored !== undefined) status.storedVersions = [stored.name]
}

const crdNames: Rule = (names) => {
  const kind = String(names.kind ?? '')
  if (isZero(names.singular) && kind !== '') names.singular = kind.toLowerCase()
  if (isZero(names.listKind) && kind !== '') names.listKind = `${kind}List`
}

/** Rules of apiextensions.k8s.io. The controller that accepts names sets those in the status. */
export const apiExtensionsRules: Rules = {
  ...serviceReference,
  'v1.CustomResourceDefinition': (value: CustomResourceDefinition) => {
    crdNames(value.spec.names as JsonObject)
    storedVersions(value)
  },
  'v1.CustomResourceDefinitionSpec': whenAbsent({ conversion: { strategy: 'None' } }),
}

/** Rules of policy. */
export const policyRules: Rules = { 'v1.PodDisruptionBudgetSpec': normalizeSelector }

/** Rules of apiregistration.k8s.io. */
export const apiRegistrationRules: Rules = serviceReference

/** Rules of flowcontrol.apiserver.k8s.io. */
export const flowControlRules: Rules = {
  'v1.FlowSchemaSpec': whenZero({ matchingPrecedence: 1000 }),
  'v1.ExemptPriorityLevelConfiguration': whenAbsent({ nominalConcurrencyShares: 0, lendablePercent: 0 }),
  'v1.LimitedPriorityLevelConfiguration': whenAbsent({ nominalConcurrencyShares: 30, lendablePercent: 0 }),
  'v1.QueuingConfiguration': whenZero({ queues: 64, handSize: 8, queueLengthLimit: 50 }),
}

/** Rules of scheduling.k8s.io. */
export const schedulingRules: Rules = { 'v1.PriorityClass': whenAbsent({ preemptionPolicy: 'PreemptLowerPriority' }) }

/** Rules of discovery.k8s.io. */
export const discoveryRules: Rules = { 'v1.EndpointPort': whenAbsent({ name: '', protocol: 'TCP' }) }

const deviceRequest: Rule = (request) => {
  if (isZero(request.allocationMode)) request.allocationMode = 'ExactCount'
  if (request.allocationMode === 'ExactCount' && isZero(request.count)) request.count = 1
}

const deviceTaint: Rule = (taint) => {
  if (isAbsent(taint.timeAdded)) taint.timeAdded = rfc3339Seconds(Date.now())
}

const multiplier: Rule = ({ nodeAllocatableResourceMappings: mappings }) => {
  if (isObject(mappings))
    for (const mapping of Object.values(mappings)) whenAbsent({ allocationMultiplier: '1' })(mapping as JsonObject)
}

/** Rules of resource.k8s.io. */
export const resourceRules: Rules = {
  'v1.ExactDeviceRequest': deviceRequest,
  'v1.DeviceSubRequest': deviceRequest,
  'v1.Device': multiplier,
  'v1.DeviceTaint': deviceTaint,
  'v1alpha3.DeviceTaint': deviceTaint,
  'v1beta2.DeviceTaint': deviceTaint,
}

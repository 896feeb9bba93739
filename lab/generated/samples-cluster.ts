/** Valid objects of the kinds that configure a cluster: admission, aggregation, certificates, flow control, devices, storage. */
import type { JsonObject, JsonValue } from '../../src/go/json-value.ts'

const labels = { app: 'web' }
const rules: JsonValue = [{ apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['things'] }]
const matchConstraints: JsonObject = { resourceRules: rules }

const webhook: JsonObject = {
  name: 'hook.generated.example.com',
  clientConfig: { url: 'https://hook.example.com/review' },
  rules,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
}

/** A certificate signing request for CN=jane. */
const request =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIZU1JR0ZBZ0VBTUNNeEVEQU9CZ05WQkFNTUIycGhibVV0Y3pReER6QU5CZ05WQkFvTUJtUmxkaTF6TkRCWgpNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQUJQN01YVUNTSUxlRlZINEFyNDhjVXEybTdLSjBpMXdzCjlzeFNaUTBucEFQSGFCTXZyVTl0RGhYcTV6RDJpSG9HT0VHQ3dwY05COEl6cW51VWJoZFNmWUdnQURBS0JnZ3EKaGtqT1BRUURBZ05JQURCRkFpQVB0dEhvSXZpZzUwOHZqQmxDZ2lQTGNZbXErWnpjSzVwb255YmxXS3cvbXdJaApBTSt2bzdaVHc3OU1KNUVwUXRFTDNkcXVIUVZ1SDJuaHQ0T3RsL3hWSFRuRQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K'

const exactly: JsonObject = { deviceClassName: 'gpu.example.com' }
const claimSpec: JsonObject = { devices: { requests: [{ name: 'gpu', exactly }] } }

const flowRules: JsonValue = [
  {
    subjects: [{ kind: 'User', user: { name: 'jane' } }],
    resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['*'] }],
  },
]

const resourceAttributes: JsonObject = { verb: 'get', resource: 'pods', namespace: 'default' }

/** By `<resource>[.<group>]`; without apiVersion, kind and metadata. */
export const smallestOfCluster: Readonly<Record<string, JsonObject>> = {
  'validatingwebhookconfigurations.admissionregistration.k8s.io': { webhooks: [webhook] },
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': { webhooks: [webhook] },
  'validatingadmissionpolicies.admissionregistration.k8s.io': {
    spec: { matchConstraints, validations: [{ expression: 'true' }] },
  },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': {
    spec: { policyName: 'policy.example.com', validationActions: ['Deny'] },
  },
  'mutatingadmissionpolicies.admissionregistration.k8s.io': {
    spec: {
      matchConstraints,
      reinvocationPolicy: 'Never',
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
    },
  },
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': { spec: { policyName: 'policy.example.com' } },
  'apiservices.apiregistration.k8s.io': {
    spec: {
      group: 'generated.example.com',
      version: 'v1',
      service: { namespace: 'default', name: 'api' },
      insecureSkipTLSVerify: true,
      groupPriorityMinimum: 1000,
      versionPriority: 15,
    },
  },
  'customresourcedefinitions.apiextensions.k8s.io': {
    spec: {
      group: 'generated.example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  },
  'certificatesigningrequests.certificates.k8s.io': {
    spec: { request, signerName: 'example.com/signer', usages: ['client auth', 'digital signature'] },
  },
  'flowschemas.flowcontrol.apiserver.k8s.io': {
    spec: { priorityLevelConfiguration: { name: 'catch-all' }, matchingPrecedence: 500, rules: flowRules },
  },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': {
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: { queues: 16, handSize: 4 } } } },
  },
  'tokenreviews.authentication.k8s.io': { spec: { token: 'unknown' } },
  'selfsubjectreviews.authentication.k8s.io': {},
  'subjectaccessreviews.authorization.k8s.io': { spec: { user: 'jane', resourceAttributes } },
  'localsubjectaccessreviews.authorization.k8s.io': { spec: { user: 'jane', resourceAttributes } },
  'selfsubjectaccessreviews.authorization.k8s.io': { spec: { resourceAttributes } },
  'selfsubjectrulesreviews.authorization.k8s.io': { spec: { namespace: 'default' } },
  'roles.rbac.authorization.k8s.io': { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] },
  'clusterroles.rbac.authorization.k8s.io': { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] },
  'rolebindings.rbac.authorization.k8s.io': {
    subjects: [{ kind: 'User', name: 'jane' }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
  },
  'clusterrolebindings.rbac.authorization.k8s.io': {
    subjects: [{ kind: 'User', name: 'jane' }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
  },
  'resourceclaims.resource.k8s.io': { spec: claimSpec },
  'resourceclaimtemplates.resource.k8s.io': { spec: { spec: claimSpec } },
  'resourceslices.resource.k8s.io': {
    spec: {
      driver: 'driver.example.com',
      pool: { name: 'pool', generation: 1, resourceSliceCount: 1 },
      nodeName: 'node',
      devices: [{ name: 'gpu-0' }],
    },
  },
  'deviceclasses.resource.k8s.io': {
    spec: { selectors: [{ cel: { expression: 'device.driver == "driver.example.com"' } }] },
  },
  'storageclasses.storage.k8s.io': { provisioner: 'csi.example.com', parameters: { key: 'value' } },
  'volumeattachments.storage.k8s.io': {
    spec: { attacher: 'csi.example.com', nodeName: 'node', source: { persistentVolumeName: 'pv' } },
  },
  'csidrivers.storage.k8s.io': { spec: { attachRequired: true } },
  'csinodes.storage.k8s.io': { spec: { drivers: [{ name: 'csi.example.com', nodeID: 'node', topologyKeys: ['zone'] }] } },
  'csistoragecapacities.storage.k8s.io': {
    storageClassName: 'fast',
    nodeTopology: { matchLabels: labels },
    capacity: '1Gi',
  },
  'volumeattributesclasses.storage.k8s.io': { driverName: 'csi.example.com', parameters: { key: 'value' } },
}

/** Names of objects whose kind does not allow every name. */
export const namesOfCluster: Readonly<Record<string, string>> = {
  'apiservices.apiregistration.k8s.io': 'v1.generated.example.com',
  'customresourcedefinitions.apiextensions.k8s.io': 'things.generated.example.com',
}

/** The fillings of these kinds' structs, by Go name. */
export const fillingsOfCluster: Readonly<Record<string, JsonObject>> = {
  'v1.ValidatingWebhook': webhook,
  'v1.MutatingWebhook': webhook,
  'v1.WebhookClientConfig': { url: 'https://hook.example.com/review' },
  'v1.ServiceReference': { namespace: 'default', name: 'hook' },
  'v1.RuleWithOperations': { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] },
  'v1.NamedRuleWithOperations': { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] },
  'v1.MatchCondition': { name: 'condition', expression: 'true' },
  'v1.MatchResources': matchConstraints,
  'v1.Validation': { expression: 'true' },
  'v1.AuditAnnotation': { key: 'annotation', valueExpression: "'value'" },
  'v1.Variable': { name: 'variable', expression: 'true' },
  'v1.ParamKind': { apiVersion: 'v1', kind: 'ConfigMap' },
  'v1.ParamRef': { name: 'params', parameterNotFoundAction: 'Deny' },
  'v1.Mutation': { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } },
  'v1.ApplyConfiguration': { expression: 'Object{}' },
  'v1.JSONPatch': { expression: '[]' },
  'v1.ExpressionWarning': { fieldRef: 'spec.validations[0].expression', warning: 'warning' },
  'v1.Condition': {
    type: 'Ready',
    status: 'True',
    reason: 'Reason',
    message: '',
    lastTransitionTime: '2026-01-02T03:04:05Z',
  },
  'v1.APIServiceCondition': { type: 'Available', status: 'True', lastTransitionTime: '2026-01-02T03:04:05Z' },
  'v1.CertificateSigningRequestCondition': { type: 'Failed', status: 'True', reason: 'Reason' },
  'v1.PolicyRulesWithSubjects': {
    subjects: [{ kind: 'Group', group: { name: 'people' } }],
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }],
  },
  'v1.ResourcePolicyRule': { verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['default'] },
  'v1.NonResourcePolicyRule': { verbs: ['get'], nonResourceURLs: ['/healthz'] },
  'v1.Subject': { kind: 'User', name: 'jane', user: { name: 'jane' } },
  'v1.UserSubject': { name: 'jane' },
  'v1.GroupSubject': { name: 'people' },
  'v1.ServiceAccountSubject': { namespace: 'default', name: 'account' },
  'v1.FlowDistinguisherMethod': { type: 'ByUser' },
  'v1.FlowSchemaCondition': { type: 'Dangling', status: 'False', lastTransitionTime: '2026-01-02T03:04:05Z' },
  'v1.PriorityLevelConfigurationCondition': { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-02T03:04:05Z' },
  'v1.LimitResponse': { type: 'Reject' },
  'v1.QueuingConfiguration': { queues: 16, handSize: 4, queueLengthLimit: 10 },
  'v1.ResourceAttributes': resourceAttributes,
  'v1.NonResourceAttributes': { path: '/healthz', verb: 'get' },
  'v1.FieldSelectorAttributes': { rawSelector: 'metadata.name=x' },
  'v1.LabelSelectorAttributes': { rawSelector: 'app=web' },
  'v1.FieldSelectorRequirement': { key: 'metadata.name', operator: 'In', values: ['x'] },
  'v1.PolicyRule': { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
  'v1.AggregationRule': { clusterRoleSelectors: [{ matchLabels: labels }] },
  'v1.RoleRef': { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
  'v1.DeviceRequest': { name: 'other', exactly },
  'v1.ExactDeviceRequest': exactly,
  'v1.DeviceSubRequest': { name: 'sub', deviceClassName: 'gpu.example.com' },
  'v1.DeviceSelector': { cel: { expression: 'true' } },
  'v1.CELDeviceSelector': { expression: 'true' },
  'v1.DeviceToleration': { key: 'example.com/taint', operator: 'Exists' },
  'v1.DeviceConstraint': { requests: ['gpu'], matchAttribute: 'driver.example.com/model' },
  'v1.DeviceClaimConfiguration': { requests: ['gpu'], opaque: { driver: 'driver.example.com', parameters: { a: 1 } } },
  'v1.DeviceClassConfiguration': { opaque: { driver: 'driver.example.com', parameters: { a: 1 } } },
  'v1.OpaqueDeviceConfiguration': { driver: 'driver.example.com', parameters: { a: 1 } },
  'v1.AllocationResult': {
    devices: { results: [{ request: 'gpu', driver: 'driver.example.com', pool: 'pool', device: 'gpu-0' }] },
  },
  'v1.DeviceRequestAllocationResult': { request: 'gpu', driver: 'driver.example.com', pool: 'pool', device: 'gpu-0' },
  'v1.DeviceAllocationConfiguration': {
    source: 'FromClaim',
    requests: ['gpu'],
    opaque: { driver: 'driver.example.com', parameters: { a: 1 } },
  },
  'v1.ResourceClaimConsumerReference': { resource: 'pods', name: 'pod', uid: 'u-1' },
  'v1.AllocatedDeviceStatus': { driver: 'driver.example.com', pool: 'pool', device: 'gpu-0' },
  'v1.NetworkDeviceData': { interfaceName: 'eth0', ips: ['10.1.2.3/24'], hardwareAddress: '00:11:22:33:44:55' },
  'v1.ResourcePool': { name: 'pool', generation: 1, resourceSliceCount: 1 },
  'v1.Device': { name: 'gpu-1' },
  'v1.DeviceAttribute': { string: 'value' },
  'v1.DeviceCapacity': { value: '1Gi' },
  'v1.DeviceTaint': { key: 'example.com/taint', effect: 'NoSchedule', timeAdded: '2026-01-02T03:04:05Z' },
  'v1.DeviceCounterConsumption': { counterSet: 'set', counters: { memory: { value: '1Gi' } } },
  'v1.CounterSet': { name: 'set', counters: { memory: { value: '1Gi' } } },
  'v1.Counter': { value: '1Gi' },
  'v1.CapacityRequestPolicy': { default: '1Gi', validValues: ['1Gi', '2Gi'] },
  'v1.CapacityRequestPolicyRange': { min: '1Gi' },
  'v1.TopologySelectorTerm': { matchLabelExpressions: [{ key: 'zone', values: ['a'] }] },
  'v1.TopologySelectorLabelRequirement': { key: 'zone', values: ['a'] },
  'v1.VolumeError': { time: '2026-01-02T03:04:05Z', message: 'message' },
  'v1.CSINodeDriver': { name: 'other.example.com', nodeID: 'node', topologyKeys: ['zone'] },
  'v1.TokenRequest': { audience: 'vault' },
}

/** Valid objects with as many fields as possible, of the kinds that configure a cluster. */
import type { JsonObject, JsonValue } from '../../src/go/json-value.ts'

const labels = { app: 'web', tier: 'front' }
const selector: JsonObject = { matchLabels: labels, matchExpressions: [{ key: 'track', operator: 'NotIn', values: ['canary'] }] }
const time = '2026-01-02T03:04:05Z'

const rules: JsonValue = [
  {
    apiGroups: ['apps'],
    apiVersions: ['v1'],
    operations: ['CREATE', 'UPDATE'],
    resources: ['deployments', 'deployments/scale'],
    scope: 'Namespaced',
  },
  { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'], scope: '*' },
]
const namedRules: JsonValue = [
  {
    apiGroups: [''],
    apiVersions: ['v1'],
    operations: ['CREATE'],
    resources: ['pods'],
    resourceNames: ['web'],
    scope: 'Namespaced',
  },
]
const matchConditions: JsonValue = [
  { name: 'not-system', expression: "request.namespace != 'kube-system'" },
  { name: 'example.com/second', expression: 'true' },
]
const matching: JsonObject = {
  resourceRules: namedRules,
  excludeResourceRules: namedRules,
  matchPolicy: 'Exact',
  namespaceSelector: selector,
  objectSelector: selector,
}
const webhooks = (own: JsonObject): JsonValue => [
  {
    name: 'first.generated.example.com',
    clientConfig: { service: { namespace: 'default', name: 'hook', path: '/review', port: 8443 } },
    rules,
    sideEffects: 'NoneOnDryRun',
    admissionReviewVersions: ['v1', 'v1beta1'],
    failurePolicy: 'Ignore',
    matchPolicy: 'Exact',
    namespaceSelector: selector,
    objectSelector: selector,
    timeoutSeconds: 5,
    matchConditions,
    ...own,
  },
  {
    name: 'second.generated.example.com',
    clientConfig: { url: 'https://hook.example.com:8443/review' },
    rules: namedRules,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  },
]

const thingSchema: JsonObject = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      properties: {
        replicas: { type: 'integer', format: 'int32', minimum: 0, maximum: 10, default: 1 },
        color: { type: 'string', enum: ['red', 'blue'], maxLength: 10 },
        ports: {
          type: 'array',
          maxItems: 5,
          items: {
            type: 'object',
            properties: { name: { type: 'string' }, port: { 'x-kubernetes-int-or-string': true } },
            required: ['name'],
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
        extra: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
      'x-kubernetes-validations': [
        { rule: 'self.replicas >= 0', message: 'too few', reason: 'FieldValueInvalid', fieldPath: '.replicas' },
      ],
    },
    status: { type: 'object', properties: { replicas: { type: 'integer' }, selector: { type: 'string' } } },
  },
}

const paramRef: JsonObject = { selector, namespace: 'default', parameterNotFoundAction: 'Allow' }
const binding: JsonObject = { policyName: 'policy.example.com', paramRef, matchResources: matching }
const policy: JsonObject = {
  paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
  matchConstraints: matching,
  matchConditions,
  failurePolicy: 'Ignore',
}

const deviceSelectors: JsonValue = [{ cel: { expression: 'device.driver == "driver.example.com"' } }]
const opaque: JsonObject = { driver: 'driver.example.com', parameters: { kind: 'Config', sharing: 'none' } }
const tolerations: JsonValue = [
  { key: 'example.com/taint', operator: 'Equal', value: 'v', effect: 'NoExecute', tolerationSeconds: 5 },
]
const claimSpec: JsonObject = {
  devices: {
    requests: [
      {
        name: 'gpu',
        exactly: {
          deviceClassName: 'gpu.example.com',
          selectors: deviceSelectors,
          allocationMode: 'ExactCount',
          count: 2,
          tolerations,
        },
      },
      {
        name: 'any',
        firstAvailable: [
          { name: 'large', deviceClassName: 'large.example.com', selectors: deviceSelectors, tolerations },
          { name: 'small', deviceClassName: 'small.example.com', allocationMode: 'All' },
        ],
      },
    ],
    constraints: [{ requests: ['gpu', 'any/large'], matchAttribute: 'driver.example.com/model' }],
    config: [{ requests: ['gpu'], opaque }],
  },
}

const rbacRules: readonly JsonObject[] = [
  { verbs: ['get', 'list'], apiGroups: ['', 'apps'], resources: ['pods', 'deployments/scale'], resourceNames: ['web'] },
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
]
const subjects: JsonValue = [
  { kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' },
  { kind: 'Group', name: 'people' },
  { kind: 'ServiceAccount', name: 'robot', namespace: 'default' },
]

/** By `<resource>[.<group>]`; without apiVersion, kind and metadata. */
export const fullestOfCluster: Readonly<Record<string, JsonObject>> = {
  'validatingwebhookconfigurations.admissionregistration.k8s.io': { webhooks: webhooks({}) },
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': { webhooks: webhooks({ reinvocationPolicy: 'IfNeeded' }) },
  'validatingadmissionpolicies.admissionregistration.k8s.io': {
    spec: {
      ...policy,
      validations: [
        {
          expression: 'object.metadata.name.size() < 20',
          message: 'too long',
          reason: 'Forbidden',
          messageExpression: "'no ' + object.metadata.name",
        },
        { expression: 'variables.short' },
      ],
      auditAnnotations: [{ key: 'name', valueExpression: "'value'" }],
      variables: [{ name: 'short', expression: 'object.metadata.name.size() < 20' }],
    },
  },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': {
    spec: { ...binding, validationActions: ['Warn', 'Audit'] },
  },
  'mutatingadmissionpolicies.admissionregistration.k8s.io': {
    spec: {
      ...policy,
      reinvocationPolicy: 'IfNeeded',
      variables: [{ name: 'short', expression: 'object.metadata.name.size() < 20' }],
      mutations: [
        {
          patchType: 'ApplyConfiguration',
          applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"a": "b"}}}' },
        },
        { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "add", path: "/metadata/labels/a", value: "b"}]' } },
      ],
    },
  },
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': { spec: binding },
  'apiservices.apiregistration.k8s.io': {
    spec: {
      group: 'generated.example.com',
      version: 'v1',
      service: { namespace: 'default', name: 'api', port: 8443 },
      insecureSkipTLSVerify: true,
      groupPriorityMinimum: 1000,
      versionPriority: 15,
    },
  },
  'customresourcedefinitions.apiextensions.k8s.io': {
    spec: {
      group: 'generated.example.com',
      scope: 'Namespaced',
      names: {
        plural: 'things',
        singular: 'thing',
        kind: 'Thing',
        listKind: 'ThingList',
        shortNames: ['tg'],
        categories: ['all'],
      },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: thingSchema },
          subresources: {
            status: {},
            scale: {
              specReplicasPath: '.spec.replicas',
              statusReplicasPath: '.status.replicas',
              labelSelectorPath: '.status.selector',
            },
          },
          additionalPrinterColumns: [
            {
              name: 'Replicas',
              type: 'integer',
              format: 'int32',
              jsonPath: '.spec.replicas',
              description: 'how many',
              priority: 1,
            },
          ],
          selectableFields: [{ jsonPath: '.spec.color' }],
        },
        {
          name: 'v1beta1',
          served: true,
          storage: false,
          deprecated: true,
          deprecationWarning: 'use v1',
          schema: { openAPIV3Schema: { type: 'object' } },
        },
      ],
      conversion: { strategy: 'None' },
      preserveUnknownFields: false,
    },
  },
  'flowschemas.flowcontrol.apiserver.k8s.io': {
    spec: {
      priorityLevelConfiguration: { name: 'workload-low' },
      matchingPrecedence: 500,
      distinguisherMethod: { type: 'ByNamespace' },
      rules: [
        {
          subjects: [
            { kind: 'User', user: { name: 'jane' } },
            { kind: 'Group', group: { name: 'people' } },
            { kind: 'ServiceAccount', serviceAccount: { namespace: 'default', name: '*' } },
          ],
          resourceRules: [
            {
              verbs: ['get', 'list'],
              apiGroups: ['*'],
              resources: ['pods', 'pods/log'],
              namespaces: ['default'],
              clusterScope: true,
            },
          ],
          nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/healthz', '/metrics/*'] }],
        },
      ],
    },
  },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': {
    spec: {
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: 20,
        lendablePercent: 50,
        borrowingLimitPercent: 200,
        limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 6, queueLengthLimit: 50 } },
      },
    },
  },
  'roles.rbac.authorization.k8s.io': { rules: [...rbacRules] },
  'clusterroles.rbac.authorization.k8s.io': {
    rules: [...rbacRules, { verbs: ['get'], nonResourceURLs: ['/healthz', '/metrics*'] }],
    aggregationRule: { clusterRoleSelectors: [selector] },
  },
  'rolebindings.rbac.authorization.k8s.io': {
    subjects,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
  },
  'clusterrolebindings.rbac.authorization.k8s.io': {
    subjects,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
  },
  'resourceclaims.resource.k8s.io': { spec: claimSpec },
  'resourceclaimtemplates.resource.k8s.io': { spec: { metadata: { labels }, spec: claimSpec } },
  'resourceslices.resource.k8s.io': {
    spec: {
      driver: 'driver.example.com',
      pool: { name: 'pool', generation: 2, resourceSliceCount: 1 },
      nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] }] },
      devices: [
        {
          name: 'gpu-0',
          attributes: {
            model: { string: 'a' },
            'driver.example.com/index': { int: 1 },
            shared: { bool: true },
            release: { version: '1.2.3' },
          },
          capacity: {
            memory: { value: '16Gi', requestPolicy: { default: '1Gi', validRange: { min: '1Gi', max: '8Gi', step: '1Gi' } } },
            slots: { value: '4', requestPolicy: { default: '1', validValues: ['1', '2'] } },
          },
          taints: [{ key: 'example.com/taint', value: 'v', effect: 'NoSchedule', timeAdded: time }],
          allowMultipleAllocations: true,
          bindsToNode: true,
          bindingConditions: ['example.com/attached'],
          bindingFailureConditions: ['example.com/failed'],
        },
      ],
    },
  },
  'deviceclasses.resource.k8s.io': {
    spec: {
      selectors: deviceSelectors,
      config: [{ opaque }],
      extendedResourceName: 'example.com/gpu',
    },
  },
  'storageclasses.storage.k8s.io': {
    provisioner: 'csi.example.com',
    parameters: { type: 'fast', zone: 'a' },
    reclaimPolicy: 'Retain',
    mountOptions: ['noatime'],
    allowVolumeExpansion: true,
    volumeBindingMode: 'WaitForFirstConsumer',
    allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] }],
  },
  'volumeattachments.storage.k8s.io': {
    spec: { attacher: 'csi.example.com', nodeName: 'node', source: { persistentVolumeName: 'pv' } },
    status: {
      attached: true,
      attachmentMetadata: { path: '/dev/sda' },
      attachError: { time, message: 'slow', errorCode: 5 },
      detachError: { time, message: 'busy' },
    },
  },
  'csidrivers.storage.k8s.io': {
    spec: {
      attachRequired: false,
      podInfoOnMount: true,
      volumeLifecycleModes: ['Persistent', 'Ephemeral'],
      storageCapacity: true,
      fsGroupPolicy: 'File',
      tokenRequests: [{ audience: 'vault', expirationSeconds: 600 }, { audience: '' }],
      requiresRepublish: true,
      seLinuxMount: true,
      nodeAllocatableUpdatePeriodSeconds: 30,
    },
  },
  'csinodes.storage.k8s.io': {
    spec: {
      drivers: [
        { name: 'csi.example.com', nodeID: 'node', topologyKeys: ['zone', 'example.com/rack'], allocatable: { count: 5 } },
        { name: 'other.example.com', nodeID: 'node-x', topologyKeys: null },
      ],
    },
  },
  'csistoragecapacities.storage.k8s.io': {
    storageClassName: 'fast',
    nodeTopology: selector,
    capacity: '10Gi',
    maximumVolumeSize: '1Gi',
  },
  'volumeattributesclasses.storage.k8s.io': { driverName: 'csi.example.com', parameters: { iops: '1000', throughput: '50' } },
  'subjectaccessreviews.authorization.k8s.io': {
    spec: {
      user: 'jane',
      groups: ['people'],
      uid: 'u-1',
      extra: { scopes: ['a', 'b'] },
      resourceAttributes: {
        verb: 'list',
        group: 'apps',
        version: 'v1',
        resource: 'deployments',
        subresource: 'scale',
        namespace: 'default',
        name: 'web',
        fieldSelector: { requirements: [{ key: 'metadata.name', operator: 'In', values: ['web'] }] },
        labelSelector: { requirements: [{ key: 'app', operator: 'Exists' }] },
      },
    },
  },
  'tokenreviews.authentication.k8s.io': { spec: { token: 'unknown', audiences: ['vault'] } },
}

/** Objects of versions that are not served by default, with values that conversions or defaults treat in a special way. */
import type { JsonObject } from '../../src/go/json-value.ts'

const template: JsonObject = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
const roleRef: JsonObject = { kind: 'Role', name: 'r' }
const label = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match'
const subjects: JsonObject[] = [
  { kind: 'User', name: '*' },
  { kind: 'User', name: 'u' },
  { kind: 'ServiceAccount', name: 's', namespace: 'n' },
  { kind: 'Lamp', name: 'l', apiVersion: 'example.com/v1' },
]
const columns: JsonObject[] = [{ name: 'A', type: 'string', JSONPath: '.a' }]
const names: JsonObject = { plural: 'lamps', kind: 'Lamp' }
const schema: JsonObject = { openAPIV3Schema: { type: 'object' } }

/** The objects by `<group>/<version>/<resource>`. An object without fields is converted for every version besides. */
export const special: Readonly<Record<string, readonly JsonObject[]>> = {
  'apiextensions.k8s.io/v1beta1/customresourcedefinitions': [
    { spec: { group: 'example.com', names, version: 'v1', validation: schema, additionalPrinterColumns: columns } },
    {
      spec: {
        group: 'example.com',
        names,
        versions: [
          { name: 'v2', served: true, storage: true, schema },
          { name: 'v1', served: true, storage: false, additionalPrinterColumns: columns },
        ],
        conversion: { strategy: 'Webhook', webhookClientConfig: { url: 'https://a/' } },
        preserveUnknownFields: false,
      },
    },
  ],
  'apps/v1beta1/deployments': [{ spec: { template, rollbackTo: { revision: 3 } } }],
  'apps/v1beta1/statefulsets': [{ spec: { template, updateStrategy: { type: 'RollingUpdate', rollingUpdate: {} } } }],
  'autoscaling/v2beta1/horizontalpodautoscalers': [
    {
      metadata: {
        annotations: { 'autoscaling.alpha.kubernetes.io/behavior': '{"ScaleUp":{"StabilizationWindowSeconds":7}}', a: 'b' },
      },
      spec: { maxReplicas: 1, metrics: [{ type: 'Pods', pods: { metricName: 'p', targetAverageValue: '3' } }] },
    },
  ],
  'discovery.k8s.io/v1beta1/endpointslices': [
    {
      endpoints: [
        { nodeName: 'a', topology: { 'kubernetes.io/hostname': 'a', 'topology.kubernetes.io/zone': 'z' } },
        { nodeName: 'a', topology: { 'kubernetes.io/hostname': 'b', rack: 'r' } },
      ],
      ports: [{}],
    },
  ],
  'extensions/v1beta1/daemonsets': [
    { spec: { template, templateGeneration: 4 } },
    { spec: { template, updateStrategy: { type: 'RollingUpdate' } } },
  ],
  'extensions/v1beta1/deployments': [{ spec: { template, rollbackTo: {} } }],
  'extensions/v1beta1/ingresses': [
    {
      spec: {
        backend: { serviceName: 'a', servicePort: 80 },
        rules: [{ http: { paths: [{ backend: { serviceName: 'b', servicePort: 'http' } }, { backend: {} }] } }],
      },
    },
  ],
  'extensions/v1beta1/networkpolicies': [{ spec: { podSelector: {}, egress: [{}], ingress: [{ ports: [{ port: 1 }] }] } }],
  'extensions/v1beta1/replicasets': [{ spec: { template } }],
  'flowcontrol.apiserver.k8s.io/v1beta2/prioritylevelconfigurations': [{ spec: { type: 'Limited', limited: {} } }],
  'flowcontrol.apiserver.k8s.io/v1beta3/prioritylevelconfigurations': [
    { spec: { type: 'Limited', limited: {} } },
    {
      metadata: { annotations: { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' } },
      spec: { type: 'Limited', limited: {} },
    },
  ],
  'policy/v1beta1/poddisruptionbudgets': [
    { spec: { selector: {} } },
    { spec: { selector: { matchExpressions: [{ key: label, operator: 'DoesNotExist' }] } } },
    { spec: { selector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: label, operator: 'Exists' }] } } },
  ],
  'rbac.authorization.k8s.io/v1alpha1/rolebindings': [{ roleRef, subjects }],
  'rbac.authorization.k8s.io/v1beta1/rolebindings': [{ roleRef, subjects: subjects.slice(0, 3) }],
  'resource.k8s.io/v1beta1/resourceclaims': [
    {
      spec: {
        devices: {
          requests: [
            { name: 'a', deviceClassName: 'c' },
            { name: 'b', firstAvailable: [{ name: 'd' }] },
          ],
        },
      },
    },
  ],
}

/** The objects of a story of aggregation. */

const rbac = 'rbac.authorization.k8s.io'
const apiserver = { kind: 'ServiceAccount', name: 'apiserver', namespace: 'wardle' }

const bound = (name: string, role: string): object => ({
  apiVersion: `${rbac}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name },
  roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
  subjects: [apiserver],
})

const allowed = (name: string, rules: readonly object[]): object => ({
  apiVersion: `${rbac}/v1`,
  kind: 'ClusterRole',
  metadata: { name },
  rules,
})

const all = ['get', 'list', 'watch']

/** The identity of the extension servers, with the permissions that sample-apiserver asks for and no others. */
export const identity: readonly object[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'wardle' } },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: apiserver.name, namespace: apiserver.namespace } },
  allowed('aggregated-apiserver', [
    { apiGroups: [''], resources: ['namespaces', 'nodes', 'pods'], verbs: all },
    {
      apiGroups: ['admissionregistration.k8s.io'],
      resources: [
        ...['mutatingwebhookconfigurations', 'validatingwebhookconfigurations', 'validatingadmissionpolicies'],
        ...['validatingadmissionpolicybindings', 'mutatingadmissionpolicies', 'mutatingadmissionpolicybindings'],
      ],
      verbs: all,
    },
    {
      apiGroups: ['flowcontrol.apiserver.k8s.io'],
      resources: ['prioritylevelconfigurations', 'flowschemas'],
      verbs: ['list', 'watch'],
    },
  ]),
  bound('aggregated-apiserver', 'aggregated-apiserver'),
  bound('wardle:system:auth-delegator', 'system:auth-delegator'),
  {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata: { name: 'wardle-auth-reader', namespace: 'kube-system' },
    roleRef: { apiGroup: rbac, kind: 'Role', name: 'extension-apiserver-authentication-reader' },
    subjects: [apiserver],
  },
  // Only the extension server knows these resources: it asks whether jane may read them.
  allowed('flunder-readers', [{ apiGroups: ['wardle.example.com'], resources: ['flunders'], verbs: all }]),
  { ...bound('flunder-readers', 'flunder-readers'), subjects: [{ kind: 'User', apiGroup: rbac, name: 'jane' }] },
]

/** Returns the Service and the APIServices of an extension server on this machine. */
export const registration = (name: string, port: number, group: string, versions: readonly string[]): readonly object[] => [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'wardle' },
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
  },
  ...versions.map((version, index) => ({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}` },
    spec: {
      group,
      version,
      groupPriorityMinimum: 1000,
      versionPriority: 10 + index,
      insecureSkipTLSVerify: true,
      service: { name, namespace: 'wardle', port },
    },
  })),
]

/** Returns a Flunder. */
export const flunder = (name: string, labels: Readonly<Record<string, string>> = {}): object => ({
  apiVersion: 'wardle.example.com/v1alpha1',
  kind: 'Flunder',
  metadata: { name, labels },
  spec: { reference: 'other' },
})

/** Returns a node, and a Pod on it. */
export const workload = (): readonly object[] => [
  { apiVersion: 'v1', kind: 'Node', metadata: { name: 'machine' } },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default' },
    spec: { nodeName: 'machine', containers: [{ name: 'main', image: 'registry.example.com/app:1' }] },
  },
]

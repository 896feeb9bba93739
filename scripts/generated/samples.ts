/** Objects that are good, from which cases are made: the smallest of a kind, and fillings for structs that need something. */
import type { JsonObject, JsonValue } from '../../src/meta/json-value.ts'

const podSpec: JsonObject = {
  automountServiceAccountToken: false,
  serviceAccountName: 'default',
  containers: [{ name: 'main', image: 'registry.example/app:1' }],
}

const labels = { app: 'web' }
const template: JsonObject = { metadata: { labels }, spec: podSpec }
const jobTemplate: JsonObject = { metadata: { labels }, spec: { ...podSpec, restartPolicy: 'Never' } }
const selected: JsonObject = { selector: { matchLabels: labels }, template }

/** The smallest good object of a resource, by `<resource>[.<group>]`; without apiVersion, kind and metadata. */
export const smallest: Readonly<Record<string, JsonObject>> = {
  configmaps: { data: { key: 'value' } },
  secrets: { data: { key: 'dmFsdWU=' } },
  namespaces: {},
  serviceaccounts: {},
  services: { spec: { selector: labels, ports: [{ port: 80 }] } },
  pods: { spec: podSpec },
  podtemplates: { template },
  replicationcontrollers: { spec: { replicas: 1, selector: labels, template } },
  limitranges: { spec: { limits: [{ type: 'Container' }] } },
  resourcequotas: { spec: { hard: { pods: '1' } } },
  persistentvolumeclaims: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  'deployments.apps': { spec: selected },
  'replicasets.apps': { spec: selected },
  'statefulsets.apps': { spec: { ...selected, serviceName: 'web' } },
  'daemonsets.apps': { spec: selected },
  'jobs.batch': { spec: { template: jobTemplate } },
  'cronjobs.batch': { spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: jobTemplate } } } },
}

/** What a struct that a case needs is filled with, by its Go name: enough to be good as far as that can be. */
export const fillings: Readonly<Record<string, JsonObject>> = {
  'v1.Container': { name: 'other', image: 'registry.example/other:2' },
  'v1.EphemeralContainer': { name: 'debug', image: 'registry.example/debug:1' },
  'v1.ContainerPort': { containerPort: 8080 },
  'v1.EnvVar': { name: 'NAME' },
  'v1.Volume': { name: 'data' },
  'v1.VolumeMount': { name: 'data', mountPath: '/data' },
  'v1.VolumeDevice': { name: 'data', devicePath: '/dev/data' },
  'v1.Probe': { tcpSocket: { port: 80 } },
  'v1.HTTPGetAction': { port: 80 },
  'v1.TCPSocketAction': { port: 80 },
  'v1.GRPCAction': { port: 80 },
  'v1.SleepAction': { seconds: 1 },
  'v1.ExecAction': { command: ['true'] },
  'v1.HTTPHeader': { name: 'X-Test', value: 'v' },
  'v1.ConfigMapKeySelector': { name: 'config', key: 'key' },
  'v1.SecretKeySelector': { name: 'secret', key: 'key' },
  'v1.ObjectFieldSelector': { fieldPath: 'metadata.name' },
  'v1.ResourceFieldSelector': { resource: 'limits.cpu' },
  'v1.FileKeySelector': { volumeName: 'data', path: 'env', key: 'KEY' },
  'v1.KeyToPath': { key: 'key', path: 'path' },
  'v1.ConfigMapVolumeSource': { name: 'config' },
  'v1.SecretVolumeSource': { secretName: 'secret' },
  'v1.HostPathVolumeSource': { path: '/host' },
  'v1.NFSVolumeSource': { server: 'nfs.example', path: '/export' },
  'v1.ISCSIVolumeSource': { targetPortal: '10.1.2.3:3260', iqn: 'iqn.2001-04.com.example:storage', lun: 0 },
  'v1.PersistentVolumeClaimVolumeSource': { claimName: 'claim' },
  'v1.CSIVolumeSource': { driver: 'csi.example' },
  'v1.ImageVolumeSource': { reference: 'registry.example/data:1' },
  'v1.DownwardAPIVolumeFile': { path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } },
  'v1.ServiceAccountTokenProjection': { path: 'token' },
  'v1.Toleration': { key: 'dedicated', operator: 'Exists' },
  'v1.TopologySpreadConstraint': {
    maxSkew: 1,
    topologyKey: 'zone',
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: labels },
  },
  'v1.NodeSelectorTerm': { matchExpressions: [{ key: 'zone', operator: 'Exists' }] },
  'v1.NodeSelectorRequirement': { key: 'zone', operator: 'In', values: ['a'] },
  'v1.NodeSelector': { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }] },
  'v1.PreferredSchedulingTerm': { weight: 1, preference: { matchExpressions: [{ key: 'zone', operator: 'Exists' }] } },
  'v1.PodAffinityTerm': { topologyKey: 'zone', labelSelector: { matchLabels: labels } },
  'v1.WeightedPodAffinityTerm': {
    weight: 1,
    podAffinityTerm: { topologyKey: 'zone', labelSelector: { matchLabels: labels } },
  },
  'v1.LabelSelector': { matchLabels: labels },
  'v1.LabelSelectorRequirement': { key: 'app', operator: 'Exists' },
  'v1.HostAlias': { ip: '10.1.2.3', hostnames: ['host.example'] },
  'v1.PodReadinessGate': { conditionType: 'example.com/ready' },
  'v1.PodSchedulingGate': { name: 'example.com/gate' },
  'v1.PodResourceClaim': { name: 'claim', resourceClaimName: 'claim' },
  'v1.ResourceClaim': { name: 'claim' },
  'v1.PodOS': { name: 'linux' },
  'v1.Sysctl': { name: 'kernel.shm_rmid_forced', value: '1' },
  'v1.SeccompProfile': { type: 'RuntimeDefault' },
  'v1.AppArmorProfile': { type: 'RuntimeDefault' },
  'v1.LocalObjectReference': { name: 'secret' },
  'v1.ContainerResizePolicy': { resourceName: 'cpu', restartPolicy: 'NotRequired' },
  'v1.ContainerRestartRule': { action: 'Restart', exitCodes: { operator: 'In', values: [1] } },
  'v1.ContainerRestartRuleOnExitCodes': { operator: 'In', values: [1] },
  'v1.ServicePort': { port: 81, name: 'other' },
  'v1.OwnerReference': { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'u-1' },
  'v1.PersistentVolumeClaim': {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
  'v1.PersistentVolumeClaimTemplate': {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
  'v1.PersistentVolumeClaimSpec': { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  'v1.TypedLocalObjectReference': { kind: 'PersistentVolumeClaim', name: 'source' },
  'v1.TypedObjectReference': { kind: 'PersistentVolumeClaim', name: 'source' },
  'v1.PodFailurePolicyRule': { action: 'Ignore', onExitCodes: { operator: 'In', values: [1] } },
  'v1.PodFailurePolicyOnExitCodesRequirement': { operator: 'In', values: [1] },
  'v1.PodFailurePolicyOnPodConditionsPattern': { type: 'DisruptionTarget', status: 'True' },
  'v1.SuccessPolicyRule': { succeededIndexes: '0' },
  'v1.DeploymentStrategy': { type: 'RollingUpdate' },
  'v1.DaemonSetUpdateStrategy': { type: 'RollingUpdate' },
  'v1.StatefulSetUpdateStrategy': { type: 'RollingUpdate' },
}

/** Good values of fields that a case needs, by name; of others the value is made of the type. */
export const texts: Readonly<Record<string, JsonValue>> = {
  restartPolicy: 'Always',
  operator: 'In',
  fsType: 'ext4',
}

/** A Pod spec with as many fields as possible, and Pod templates with it. */
import type { JsonObject, JsonValue } from '../../src/go/json-value.ts'

const labels = { app: 'web', tier: 'front' }
const selector: JsonObject = { matchLabels: labels, matchExpressions: [{ key: 'track', operator: 'NotIn', values: ['canary'] }] }
const term: JsonObject = {
  labelSelector: selector,
  topologyKey: 'kubernetes.io/hostname',
  namespaces: ['default'],
  namespaceSelector: { matchLabels: { team: 'a' } },
  matchLabelKeys: ['pod-template-hash'],
}
const required: JsonValue = [{ labelSelector: selector, topologyKey: 'topology.kubernetes.io/zone' }]
const preferred: JsonValue = [{ weight: 10, podAffinityTerm: term }]
const requirements: JsonValue = [{ key: 'disk', operator: 'In', values: ['ssd'] }]

const lifecycle: JsonObject = {
  postStart: { exec: { command: ['sh', '-c', 'true'] } },
  preStop: {
    httpGet: { path: '/stop', port: 'http', scheme: 'HTTPS', host: 'localhost', httpHeaders: [{ name: 'X-A', value: 'b' }] },
  },
}

const container: JsonObject = {
  name: 'main',
  image: 'registry.example/app:1',
  imagePullPolicy: 'IfNotPresent',
  command: ['/app'],
  args: ['--name=$(NAME)'],
  workingDir: '/work',
  tty: true,
  stdin: true,
  stdinOnce: true,
  terminationMessagePath: '/dev/message',
  terminationMessagePolicy: 'FallbackToLogsOnError',
  ports: [
    { name: 'http', containerPort: 8080, protocol: 'TCP', hostPort: 18080, hostIP: '10.1.2.3' },
    { name: 'dns', containerPort: 53, protocol: 'UDP' },
  ],
  env: [
    { name: 'NAME', value: 'value' },
    { name: 'POD', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
    { name: 'CPU', valueFrom: { resourceFieldRef: { containerName: 'main', resource: 'limits.cpu', divisor: '1m' } } },
    { name: 'CONFIG', valueFrom: { configMapKeyRef: { name: 'config', key: 'key', optional: true } } },
    { name: 'SECRET', valueFrom: { secretKeyRef: { name: 'secret', key: 'key' } } },
  ],
  envFrom: [{ prefix: 'P_', configMapRef: { name: 'config', optional: true } }, { secretRef: { name: 'secret' } }],
  resources: {
    limits: { cpu: '2', memory: '1Gi', 'ephemeral-storage': '2Gi', 'example.com/gpu': '1', 'hugepages-2Mi': '4Mi' },
    requests: { cpu: '500m', memory: '512Mi' },
    claims: [{ name: 'device', request: 'gpu' }],
  },
  resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
  volumeMounts: [
    { name: 'data', mountPath: '/data', subPath: 'a/b', readOnly: false },
    { name: 'scratch', mountPath: '/scratch', subPathExpr: '$(NAME)' },
    { name: 'config', mountPath: '/config', readOnly: true, recursiveReadOnly: 'IfPossible', mountPropagation: 'None' },
  ],
  livenessProbe: {
    httpGet: { path: '/live', port: 'http' },
    initialDelaySeconds: 3,
    timeoutSeconds: 2,
    periodSeconds: 5,
    failureThreshold: 4,
    terminationGracePeriodSeconds: 5,
  },
  readinessProbe: { tcpSocket: { port: 8080, host: 'localhost' }, successThreshold: 2 },
  startupProbe: { grpc: { port: 9090, service: 'ready' } },
  lifecycle,
  securityContext: {
    runAsUser: 1000,
    runAsGroup: 1000,
    runAsNonRoot: true,
    readOnlyRootFilesystem: true,
    allowPrivilegeEscalation: false,
    capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] },
    seLinuxOptions: { level: 's0:c1,c2' },
    seccompProfile: { type: 'Localhost', localhostProfile: 'profiles/app.json' },
    appArmorProfile: { type: 'RuntimeDefault' },
    procMount: 'Default',
  },
}

const volumes: JsonValue = [
  { name: 'data', persistentVolumeClaim: { claimName: 'data', readOnly: true } },
  { name: 'scratch', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
  { name: 'config', configMap: { name: 'config', defaultMode: 256, items: [{ key: 'key', path: 'path', mode: 420 }] } },
  { name: 'secret', secret: { secretName: 'secret', optional: true } },
  { name: 'host', hostPath: { path: '/var/log', type: 'Directory' } },
  {
    name: 'csi',
    csi: { driver: 'csi.example', fsType: 'ext4', volumeAttributes: { a: 'b' }, nodePublishSecretRef: { name: 'secret' } },
  },
  {
    name: 'projected',
    projected: {
      defaultMode: 292,
      sources: [
        { serviceAccountToken: { path: 'token', audience: 'vault', expirationSeconds: 3600 } },
        { downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
        { configMap: { name: 'other', items: [{ key: 'k', path: 'p' }] } },
      ],
    },
  },
  {
    name: 'claimed',
    ephemeral: {
      volumeClaimTemplate: {
        metadata: { labels },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'fast' },
      },
    },
  },
  { name: 'image', image: { reference: 'registry.example/data:1', pullPolicy: 'Always' } },
  { name: 'nfs', nfs: { server: 'nfs.example', path: '/export' } },
]

/** Without fields that only standalone Pods may have. */
const spec: JsonObject = {
  automountServiceAccountToken: false,
  serviceAccountName: 'default',
  terminationGracePeriodSeconds: 20,
  activeDeadlineSeconds: 600,
  dnsPolicy: 'None',
  dnsConfig: { nameservers: ['10.0.0.10'], searches: ['web.example'], options: [{ name: 'ndots', value: '2' }] },
  nodeSelector: { disk: 'ssd' },
  imagePullSecrets: [{ name: 'pull' }],
  hostname: 'web',
  subdomain: 'front',
  setHostnameAsFQDN: false,
  schedulerName: 'other-scheduler',
  hostAliases: [{ ip: '10.1.2.3', hostnames: ['one.example', 'two.example'] }],
  enableServiceLinks: false,
  shareProcessNamespace: true,
  preemptionPolicy: 'PreemptLowerPriority',
  readinessGates: [{ conditionType: 'example.com/ready' }],
  schedulingGates: [{ name: 'example.com/gate' }],
  os: { name: 'linux' },
  tolerations: [
    { key: 'dedicated', operator: 'Equal', value: 'gpu', effect: 'NoExecute', tolerationSeconds: 30 },
    { operator: 'Exists' },
  ],
  topologySpreadConstraints: [
    {
      maxSkew: 2,
      minDomains: 2,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: selector,
      nodeAffinityPolicy: 'Honor',
      nodeTaintsPolicy: 'Ignore',
      matchLabelKeys: ['pod-template-hash'],
    },
  ],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: requirements }] },
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpressions: requirements } }],
    },
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: required,
      preferredDuringSchedulingIgnoredDuringExecution: preferred,
    },
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: required,
      preferredDuringSchedulingIgnoredDuringExecution: preferred,
    },
  },
  securityContext: {
    runAsUser: 1000,
    runAsGroup: 1000,
    runAsNonRoot: true,
    fsGroup: 2000,
    fsGroupChangePolicy: 'OnRootMismatch',
    supplementalGroups: [3000],
    supplementalGroupsPolicy: 'Merge',
    seLinuxOptions: { user: 'u', role: 'r', type: 't', level: 's0' },
    seccompProfile: { type: 'RuntimeDefault' },
    appArmorProfile: { type: 'Localhost', localhostProfile: 'app' },
    sysctls: [{ name: 'kernel.shm_rmid_forced', value: '1' }],
  },
  resourceClaims: [
    { name: 'device', resourceClaimName: 'claim' },
    { name: 'other', resourceClaimTemplateName: 'template' },
  ],
  initContainers: [
    { name: 'prepare', image: 'registry.example/init:1', command: ['true'], resources: { limits: { memory: '64Mi' } } },
    { name: 'sidecar', image: 'registry.example/side:1', restartPolicy: 'Always', startupProbe: { exec: { command: ['true'] } } },
  ],
  containers: [container, { name: 'second', image: `registry.example/second@sha256:${'a'.repeat(64)}` }],
  volumes,
}

const { activeDeadlineSeconds: _deadline, schedulingGates: _gates, ...templated } = spec
const annotations = { 'example.com/note': 'text' }

/** For controllers whose Pods always restart. */
const template: JsonObject = { metadata: { labels, annotations }, spec: { ...templated, restartPolicy: 'Always' } }

/** By `<resource>[.<group>]`; without apiVersion, kind and metadata. */
export const fullestOfPods: Readonly<Record<string, JsonObject>> = {
  pods: { spec: { ...spec, restartPolicy: 'OnFailure' } },
  podtemplates: { template },
  replicationcontrollers: { spec: { replicas: 2, minReadySeconds: 5, selector: labels, template } },
  'replicasets.apps': { spec: { replicas: 2, minReadySeconds: 5, selector: { matchLabels: labels }, template } },
  'daemonsets.apps': {
    spec: {
      minReadySeconds: 5,
      revisionHistoryLimit: 3,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
      selector: { matchLabels: labels },
      template,
    },
  },
}

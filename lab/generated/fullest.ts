/** Valid objects with as many fields as possible, so that cases also break dependencies between fields. */
import type { JsonObject } from '../../src/go/json-value.ts'
import { fullestOfCluster } from './fullest-cluster.ts'
import { fullestOfPods } from './fullest-pod.ts'

const labels = { app: 'web', tier: 'front' }
const selector: JsonObject = { matchLabels: labels, matchExpressions: [{ key: 'track', operator: 'NotIn', values: ['canary'] }] }
const nodeTerms: JsonObject = {
  nodeSelectorTerms: [
    {
      matchExpressions: [
        { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['a', 'b'] },
        { key: 'cores', operator: 'Gt', values: ['4'] },
      ],
      matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }],
    },
  ],
}
const target: JsonObject = { type: 'Utilization', averageUtilization: 60 }
const object: JsonObject = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'main' }
const port: JsonObject = { service: { name: 'web', port: { name: 'http' } } }

/** By `<resource>[.<group>]`; without apiVersion, kind and metadata. */
export const fullest: Readonly<Record<string, JsonObject>> = {
  ...fullestOfCluster,
  ...fullestOfPods,
  configmaps: { data: { a: '1', 'b.c': 'two', d_e: '' }, binaryData: { bytes: 'aGk=' }, immutable: false },
  secrets: { type: 'example.com/own', data: { key: 'dmFsdWU=' }, stringData: { other: 'text' }, immutable: true },
  serviceaccounts: { secrets: [{ name: 'token' }], imagePullSecrets: [{ name: 'pull' }], automountServiceAccountToken: false },
  'controllerrevisions.apps': { data: { spec: { template: { a: [1, 'x', null] } } }, revision: 7 },
  nodes: {
    spec: {
      podCIDR: '10.244.7.0/24',
      podCIDRs: ['10.244.7.0/24', 'fd00:7::/64'],
      providerID: 'example://zone/node-1',
      unschedulable: true,
      externalID: 'node-1',
      taints: [
        { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' },
        { key: 'dedicated', effect: 'NoExecute', timeAdded: '2026-01-02T03:04:05Z' },
      ],
    },
    status: {
      capacity: { cpu: '4', 'example.com/gpu': '2', memory: '16Gi', pods: '110' },
      allocatable: { cpu: '3500m', memory: '15Gi' },
      addresses: [
        { type: 'InternalIP', address: '192.0.2.1' },
        { type: 'Hostname', address: 'node-1' },
      ],
      conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2026-01-02T03:04:05Z', reason: 'KubeletReady' }],
      images: [{ names: ['registry.example/app:1'], sizeBytes: 1000 }],
      nodeInfo: { kubeletVersion: 'v1.36.3', swap: { capacity: 1024 } },
      declaredFeatures: ['FeatureA', 'FeatureB'],
    },
  },
  persistentvolumes: {
    spec: {
      accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
      capacity: { storage: '10Gi' },
      local: { path: '/mnt/disks/a', fsType: 'ext4' },
      nodeAffinity: { required: nodeTerms },
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: 'local',
      volumeMode: 'Block',
      mountOptions: ['noatime'],
      claimRef: { namespace: 'default', name: 'claim', kind: 'PersistentVolumeClaim', apiVersion: 'v1' },
    },
  },
  persistentvolumeclaims: {
    spec: {
      accessModes: ['ReadWriteOncePod'],
      resources: { requests: { storage: '1Gi' }, limits: { storage: '2Gi' } },
      selector,
      storageClassName: 'fast',
      volumeMode: 'Block',
      volumeName: 'volume',
      volumeAttributesClassName: 'gold',
      dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'snapshot' },
    },
    status: { phase: 'Bound' },
  },
  endpoints: {
    subsets: [
      {
        addresses: [
          { ip: '10.1.2.3', hostname: 'a', nodeName: 'node-1', targetRef: { kind: 'Pod', name: 'a', namespace: 'default' } },
        ],
        notReadyAddresses: [{ ip: 'fd00::1' }],
        ports: [
          { name: 'http', port: 80, appProtocol: 'example.com/http' },
          { name: 'dns', port: 53, protocol: 'UDP' },
        ],
      },
    ],
  },
  limitranges: {
    spec: {
      limits: [
        {
          type: 'Container',
          max: { cpu: '4', memory: '4Gi' },
          min: { cpu: '100m', memory: '64Mi' },
          default: { cpu: '1', memory: '1Gi' },
          defaultRequest: { cpu: '500m', memory: '512Mi' },
          maxLimitRequestRatio: { cpu: '10' },
        },
        { type: 'Pod', max: { cpu: '8' }, min: { cpu: '200m' }, maxLimitRequestRatio: { cpu: '4' } },
        { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '10Gi' } },
      ],
    },
  },
  resourcequotas: {
    spec: {
      hard: { cpu: '10', 'limits.memory': '10Gi', pods: '10' },
      scopes: ['NotTerminating', 'NotBestEffort'],
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
    },
  },
  events: {
    involvedObject: { namespace: '$NAMESPACE', kind: 'Pod', name: 'web', apiVersion: 'v1', fieldPath: 'spec.containers{a}' },
    reason: 'Started',
    message: 'it runs',
    type: 'Normal',
    eventTime: '2026-01-02T03:04:05.000000Z',
    series: { count: 3, lastObservedTime: '2026-01-02T03:04:06.000000Z' },
    action: 'Start',
    related: { kind: 'Node', name: 'node-1' },
    reportingComponent: 'example.com/controller',
    reportingInstance: 'controller-1',
    source: { component: 'kubelet', host: 'node-1' },
    firstTimestamp: '2026-01-02T03:04:05Z',
    lastTimestamp: '2026-01-02T03:04:05Z',
    count: 2,
  },
  'events.events.k8s.io': {
    eventTime: '2026-01-02T03:04:05.000000Z',
    series: { count: 3, lastObservedTime: '2026-01-02T03:04:06.000000Z' },
    reportingController: 'example.com/controller',
    reportingInstance: 'controller-1',
    action: 'Start',
    reason: 'Started',
    regarding: { namespace: '$NAMESPACE', kind: 'Pod', name: 'web' },
    related: { kind: 'Node', name: 'node-1' },
    note: 'it runs',
    type: 'Warning',
  },
  'horizontalpodautoscalers.autoscaling': {
    spec: {
      minReplicas: 2,
      maxReplicas: 10,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target } },
        { type: 'ContainerResource', containerResource: { name: 'memory', container: 'main', target } },
        { type: 'Pods', pods: { metric: { name: 'requests', selector }, target: { type: 'AverageValue', averageValue: '1k' } } },
        {
          type: 'Object',
          object: { metric: { name: 'requests' }, describedObject: object, target: { type: 'Value', value: '10k' } },
        },
        {
          type: 'External',
          external: { metric: { name: 'queue', selector }, target: { type: 'AverageValue', averageValue: '30' } },
        },
      ],
      behavior: {
        scaleUp: { stabilizationWindowSeconds: 60, policies: [{ type: 'Pods', value: 4, periodSeconds: 60 }] },
        scaleDown: {
          selectPolicy: 'Min',
          tolerance: '0.05',
          policies: [
            { type: 'Percent', value: 10, periodSeconds: 60 },
            { type: 'Pods', value: 1, periodSeconds: 30 },
          ],
        },
      },
      targetCPUUtilizationPercentage: 70,
    },
  },
  'ingresses.networking.k8s.io': {
    spec: {
      ingressClassName: 'nginx',
      defaultBackend: { resource: { apiGroup: 'example.com', kind: 'Bucket', name: 'static' } },
      tls: [{ hosts: ['web.example', '*.example'], secretName: 'tls' }],
      rules: [
        {
          host: 'web.example',
          http: {
            paths: [
              { path: '/', pathType: 'Prefix', backend: port },
              { path: '/exact', pathType: 'Exact', backend: port },
              { pathType: 'ImplementationSpecific', backend: port },
            ],
          },
        },
        { host: '*.example', http: { paths: [{ path: '/', pathType: 'Prefix', backend: port }] } },
      ],
    },
  },
  'ingressclasses.networking.k8s.io': {
    spec: {
      controller: 'example.com/controller',
      parameters: { apiGroup: 'example.com', kind: 'Parameters', name: 'default', scope: 'Namespace', namespace: 'default' },
    },
  },
  'networkpolicies.networking.k8s.io': {
    spec: {
      podSelector: selector,
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        {
          from: [
            { podSelector: selector, namespaceSelector: selector },
            { ipBlock: { cidr: '10.1.0.0/16', except: ['10.1.2.0/24'] } },
          ],
          ports: [
            { port: 80, endPort: 90 },
            { port: 'http', protocol: 'TCP' },
          ],
        },
      ],
      egress: [{ to: [{ namespaceSelector: {} }], ports: [{ port: 53, protocol: 'UDP' }] }],
    },
  },
  'servicecidrs.networking.k8s.io': { spec: { cidrs: ['10.231.0.0/24', 'fd00:231::/64'] } },
  'poddisruptionbudgets.policy': {
    spec: { maxUnavailable: '25%', selector, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
  },
  'endpointslices.discovery.k8s.io': {
    addressType: 'IPv6',
    endpoints: [
      {
        addresses: ['fd00::1', 'fd00::2'],
        conditions: { ready: true, serving: true, terminating: false },
        hostname: 'a',
        nodeName: 'node-1',
        zone: 'a',
        targetRef: { kind: 'Pod', name: 'a', namespace: 'default' },
        hints: { forZones: [{ name: 'a' }], forNodes: [{ name: 'node-1' }] },
      },
    ],
    ports: [
      { name: 'http', port: 80, protocol: 'TCP', appProtocol: 'kubernetes.io/h2c' },
      { name: 'dns', port: 53, protocol: 'UDP' },
    ],
  },
  'leases.coordination.k8s.io': {
    spec: {
      holderIdentity: 'holder',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-02T03:04:05.000000Z',
      renewTime: '2026-01-02T03:04:06.123456Z',
      leaseTransitions: 2,
    },
  },
  'runtimeclasses.node.k8s.io': {
    handler: 'gvisor',
    overhead: { podFixed: { cpu: '250m', memory: '120Mi' } },
    scheduling: {
      nodeSelector: { runtime: 'gvisor' },
      tolerations: [{ key: 'gvisor', operator: 'Equal', value: 'true', effect: 'NoExecute', tolerationSeconds: 60 }],
    },
  },
  'priorityclasses.scheduling.k8s.io': {
    value: 1000,
    description: 'important',
    globalDefault: false,
    preemptionPolicy: 'Never',
  },
  services: {
    spec: {
      type: 'LoadBalancer',
      selector: labels,
      ports: [
        { name: 'http', port: 80, targetPort: 'http', protocol: 'TCP', appProtocol: 'http' },
        { name: 'dns', port: 53, protocol: 'UDP' },
      ],
      externalTrafficPolicy: 'Local',
      sessionAffinity: 'ClientIP',
      loadBalancerSourceRanges: ['10.0.0.0/8'],
      loadBalancerClass: 'example.com/class',
      externalIPs: ['192.0.2.10'],
      publishNotReadyAddresses: true,
      trafficDistribution: 'PreferClose',
    },
  },
  'deployments.apps': {
    spec: {
      replicas: 3,
      minReadySeconds: 5,
      revisionHistoryLimit: 3,
      progressDeadlineSeconds: 60,
      paused: true,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'registry.example/app' }] } },
    },
  },
  'statefulsets.apps': {
    spec: {
      replicas: 2,
      serviceName: 'web',
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1, maxUnavailable: 1 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
      ordinals: { start: 1 },
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'registry.example/app' }] } },
      volumeClaimTemplates: [
        { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
      ],
    },
  },
  'jobs.batch': {
    spec: {
      parallelism: 2,
      completions: 4,
      completionMode: 'Indexed',
      backoffLimitPerIndex: 1,
      maxFailedIndexes: 1,
      suspend: true,
      ttlSecondsAfterFinished: 60,
      activeDeadlineSeconds: 600,
      podReplacementPolicy: 'Failed',
      podFailurePolicy: {
        rules: [
          { action: 'FailIndex', onExitCodes: { operator: 'In', values: [1, 2], containerName: 'main' } },
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
        ],
      },
      successPolicy: { rules: [{ succeededIndexes: '0-1', succeededCount: 1 }] },
      template: {
        metadata: { labels },
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'registry.example/app:1' }] },
      },
    },
  },
  'cronjobs.batch': {
    spec: {
      schedule: '*/5 * * * *',
      timeZone: 'Europe/Berlin',
      startingDeadlineSeconds: 100,
      concurrencyPolicy: 'Forbid',
      suspend: true,
      successfulJobsHistoryLimit: 1,
      failedJobsHistoryLimit: 1,
      jobTemplate: {
        metadata: { labels },
        spec: {
          template: { spec: { restartPolicy: 'OnFailure', containers: [{ name: 'main', image: 'registry.example/app:1' }] } },
        },
      },
    },
  },
}

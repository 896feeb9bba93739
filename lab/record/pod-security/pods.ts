/** Generates Pods whose fields the checks of Pod Security read, with allowed and forbidden values in all combinations. */
import type { JsonObject, JsonValue } from '../../../src/go/json-value.ts'
import { randomFrom } from '../../generated/random.ts'

/** The values that a field may get. A field is absent more often than it has any of them. */
type Fields = Readonly<Record<string, readonly JsonValue[]>>

const seLinuxOptions = [
  {},
  { type: 'container_t' },
  { type: 'container_engine_t' },
  { type: 'spc_t', user: 'u' },
  { role: 'r', type: 'é' },
  { user: 'u', role: 'r' },
]
const profiles = [{ type: 'RuntimeDefault' }, { type: 'Localhost', localhostProfile: 'p' }, { type: 'Unconfined' }, { type: '' }]
const windowsOptions = [{}, { hostProcess: true }, { hostProcess: false }]

const contextFields: Fields = {
  runAsNonRoot: [true, false],
  runAsUser: [0, 1000],
  seLinuxOptions,
  seccompProfile: profiles,
  appArmorProfile: profiles,
  windowsOptions,
}

const containerContextFields: Fields = {
  ...contextFields,
  privileged: [true, false],
  allowPrivilegeEscalation: [true, false, false],
  procMount: ['Default', 'Unmasked', 'Other'],
  capabilities: [
    {},
    { drop: ['ALL'] },
    { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
    { drop: ['KILL'], add: ['CHOWN', 'SYS_ADMIN'] },
    { drop: ['KILL', 'ALL'], add: ['NET_RAW', 'NET_BIND_SERVICE', 'BPF'] },
  ],
}

const sysctlNames = [
  'kernel.msgmax',
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
  'net.core.somaxconn',
]

const podContextFields: Fields = {
  ...contextFields,
  sysctls: sysctlNames.map((name, index) =>
    [name, sysctlNames[(index * 3 + 1) % sysctlNames.length] ?? name].map((each) => ({ name: each, value: '1' })),
  ),
}

const handlers = [
  { httpGet: { port: 80 } },
  { httpGet: { port: 80, host: '10.0.0.1' } },
  { tcpSocket: { port: 80, host: 'é.example' } },
  { tcpSocket: { port: 80, host: '::1' }, httpGet: { port: 80, host: '127.0.0.1' } },
  { exec: { command: ['x'] } },
]

const containerFields: Fields = {
  ports: [
    [{ containerPort: 80 }],
    [{ containerPort: 80, hostPort: 8080 }],
    [
      { containerPort: 80, hostPort: 9 },
      { containerPort: 81, hostPort: 443 },
    ],
    [{ containerPort: 80, hostPort: 0 }],
  ],
  livenessProbe: handlers,
  readinessProbe: handlers,
  startupProbe: handlers,
  lifecycle: [...handlers.map((preStop) => ({ preStop })), ...handlers.map((postStart) => ({ postStart }))],
}

const volumeSources: readonly JsonObject[] = [
  ...['hostPath', 'gcePersistentDisk', 'awsElasticBlockStore', 'gitRepo', 'nfs', 'iscsi', 'glusterfs', 'rbd', 'flexVolume'],
  ...['cinder', 'cephfs', 'flocker', 'fc', 'azureFile', 'vsphereVolume', 'quobyte', 'azureDisk', 'photonPersistentDisk'],
  ...['portworxVolume', 'scaleIO', 'storageos', 'configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'image'],
  ...['persistentVolumeClaim', 'projected', 'secret'],
].map((source) => ({ [source]: {} }))

const podFields: Fields = {
  hostNetwork: [true, false],
  hostPID: [true],
  hostIPC: [true],
  hostUsers: [true, false, false],
  os: [{ name: 'linux' }, { name: 'windows' }],
}

const annotations: Fields = {
  'container.apparmor.security.beta.kubernetes.io/a': ['runtime/default', 'unconfined', '', 'localhost/x'],
  'container.apparmor.security.beta.kubernetes.io/b': ['a"\u0001\u00e9', 'unconfined'],
  'seccomp.security.alpha.kubernetes.io/pod': ['runtime/default', 'docker/default', 'unconfined', 'localhost/x', ''],
  'container.seccomp.security.alpha.kubernetes.io/a': ['unconfined', 'docker/default'],
  'container.seccomp.security.alpha.kubernetes.io/é': ['<b>\n'],
}

/** Makes random choices. */
class Choice {
  readonly #random: () => number

  constructor(seed: number) {
    this.#random = randomFrom(seed)
  }

  among<T>(items: readonly [T, ...T[]] | readonly T[]): T {
    const item = items[Math.floor(this.#random() * items.length)]
    if (item === undefined) throw new Error('there is nothing to choose among')
    return item
  }

  chance(probability: number): boolean {
    return this.#random() < probability
  }

  /** Sets each field with the given probability. */
  object(fields: Fields, probability: number): JsonObject {
    const entries = Object.entries(fields).flatMap(([field, values]): [string, JsonValue][] =>
      this.chance(probability) ? [[field, this.among(values)]] : [],
    )
    return Object.fromEntries(entries)
  }
}

/** A container that `restricted` allows. */
const restrictedContext: JsonObject = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
}

function container(choice: Choice, name: string, probability: number): JsonObject {
  const own = choice.object(containerContextFields, probability)
  const context = choice.chance(0.5) ? { ...restrictedContext, ...own } : own
  return {
    name,
    ...choice.object(containerFields, probability / 2),
    ...((Object.keys(context).length > 0 || choice.chance(0.2)) && { securityContext: context }),
  }
}

/** A Pod that no server has validated: metadata and spec. */
export interface GeneratedPod {
  readonly metadata: JsonObject
  readonly spec: JsonObject
}

function generatedPod(choice: Choice): GeneratedPod {
  const probability = choice.among([0.02, 0.06, 0.15])
  const named = (names: readonly string[]): JsonObject[] => names.map((name) => container(choice, name, probability))
  const context = choice.object(podContextFields, probability)
  const chosen = choice.object(annotations, probability / 2)
  const volumes = [0, 1, 2]
    .filter(() => choice.chance(probability))
    .map((index) => ({ name: `v${index}`, ...choice.among(volumeSources) }))
  return {
    metadata: Object.keys(chosen).length > 0 ? { annotations: chosen } : {},
    spec: {
      ...(choice.chance(0.2) && { initContainers: named(choice.among([['é'], ['i', 'a']])) }),
      containers: named(choice.among([['a'], ['a', 'b'], ['c', 'b', 'a']])),
      ...(choice.chance(0.2) && { ephemeralContainers: named(choice.among([['e'], ['z', 'e']])) }),
      ...choice.object(podFields, probability),
      ...(Object.keys(context).length > 0 && { securityContext: context }),
      ...(volumes.length > 0 && { volumes }),
    },
  }
}

/** Returns Pods with one volume of each source, then random Pods, the same for the same seed. */
export function generatedPods(count: number, seed: number): GeneratedPod[] {
  const choice = new Choice(seed)
  const ofVolumes = volumeSources.map((source) => ({
    metadata: {},
    spec: { containers: [{ name: 'a', securityContext: restrictedContext }], volumes: [{ name: 'v', ...source }] },
  }))
  return [...ofVolumes, ...Array.from({ length: count }, () => generatedPod(choice))]
}

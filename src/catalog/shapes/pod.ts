/** Pods and pod templates as decoding leaves them: what has no omitempty is always there, lists perhaps as null. */
import type { LabelSelectorObject } from '../../meta/label-selector-object.ts'
import type { KubernetesObject, ObjectMeta } from '../../meta/object-meta.ts'

export type ResourceList = Readonly<Record<string, string>>

export interface ResourceRequirements {
  limits?: ResourceList
  requests?: ResourceList
  claims?: { name: string; request?: string }[]
}

export interface ContainerPort {
  name?: string
  hostPort?: number
  containerPort: number
  protocol?: string
  hostIP?: string
}

interface KeySelector {
  name?: string
  key: string
  optional?: boolean
}

export interface EnvVarSource {
  fieldRef?: { apiVersion?: string; fieldPath: string }
  resourceFieldRef?: { containerName?: string; resource: string; divisor?: string }
  configMapKeyRef?: KeySelector
  secretKeyRef?: KeySelector
  fileKeyRef?: { volumeName: string; path: string; key: string; optional?: boolean }
}

export interface EnvVar {
  name: string
  value?: string
  valueFrom?: EnvVarSource
}

export interface EnvFromSource {
  prefix?: string
  configMapRef?: { name?: string }
  secretRef?: { name?: string }
}

export interface Handler {
  exec?: { command?: string[] }
  httpGet?: {
    path?: string
    port: number | string
    host?: string
    scheme?: string
    httpHeaders?: { name: string; value: string }[]
  }
  tcpSocket?: { port: number | string; host?: string }
  grpc?: { port: number; service?: string }
  sleep?: { seconds: number }
}

export interface Probe extends Handler {
  initialDelaySeconds?: number
  timeoutSeconds?: number
  periodSeconds?: number
  successThreshold?: number
  failureThreshold?: number
  terminationGracePeriodSeconds?: number
}

export interface VolumeMount {
  name: string
  readOnly?: boolean
  recursiveReadOnly?: string
  mountPath: string
  subPath?: string
  mountPropagation?: string
  subPathExpr?: string
}

export interface SeccompProfile {
  type: string
  localhostProfile?: string
}

export interface WindowsOptions {
  gmsaCredentialSpecName?: string
  gmsaCredentialSpec?: string
  runAsUserName?: string
  hostProcess?: boolean
}

export interface SecurityContext {
  seLinuxOptions?: unknown
  windowsOptions?: WindowsOptions
  readOnlyRootFilesystem?: boolean
  capabilities?: { add?: string[]; drop?: string[] }
  privileged?: boolean
  runAsUser?: number
  runAsGroup?: number
  runAsNonRoot?: boolean
  allowPrivilegeEscalation?: boolean
  procMount?: string
  seccompProfile?: SeccompProfile
  appArmorProfile?: SeccompProfile
}

export interface Container {
  name: string
  image?: string
  ports?: ContainerPort[]
  envFrom?: EnvFromSource[]
  env?: EnvVar[]
  resources: ResourceRequirements
  resizePolicy?: { resourceName: string; restartPolicy: string }[]
  restartPolicy?: string
  restartPolicyRules?: { action?: string; exitCodes?: { operator?: string; values?: number[] } }[]
  volumeMounts?: VolumeMount[]
  volumeDevices?: { name: string; devicePath: string }[]
  livenessProbe?: Probe
  readinessProbe?: Probe
  startupProbe?: Probe
  lifecycle?: { postStart?: Handler; preStop?: Handler; stopSignal?: string }
  terminationMessagePath?: string
  terminationMessagePolicy?: string
  imagePullPolicy?: string
  securityContext?: SecurityContext
  targetContainerName?: string
}

/** A volume: its name, and one source under the source's name. */
export interface Volume {
  name: string
  [source: string]: unknown
}

export interface Toleration {
  key?: string
  operator?: string
  value?: string
  effect?: string
  tolerationSeconds?: number
}

export interface NodeSelectorTerm {
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
  matchFields?: { key: string; operator: string; values?: string[] }[]
}

export interface PodAffinityTerm {
  labelSelector?: LabelSelectorObject
  namespaces?: string[]
  topologyKey: string
  namespaceSelector?: LabelSelectorObject
  matchLabelKeys?: string[]
  mismatchLabelKeys?: string[]
}

export interface PodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[]
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; podAffinityTerm: PodAffinityTerm }[]
}

export interface Affinity {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms: NodeSelectorTerm[] | null }
    preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; preference: NodeSelectorTerm }[]
  }
  podAffinity?: PodAffinity
  podAntiAffinity?: PodAffinity
}

export interface TopologySpreadConstraint {
  maxSkew: number
  topologyKey: string
  whenUnsatisfiable: string
  labelSelector?: LabelSelectorObject
  minDomains?: number
  nodeAffinityPolicy?: string
  nodeTaintsPolicy?: string
  matchLabelKeys?: string[]
}

export interface PodSecurityContext {
  seLinuxOptions?: unknown
  windowsOptions?: WindowsOptions
  seLinuxChangePolicy?: string
  runAsUser?: number
  runAsGroup?: number
  runAsNonRoot?: boolean
  supplementalGroups?: number[]
  fsGroup?: number
  sysctls?: { name: string; value: string }[]
  fsGroupChangePolicy?: string
  seccompProfile?: SeccompProfile
  appArmorProfile?: SeccompProfile
  supplementalGroupsPolicy?: string
}

export interface PodSpec {
  volumes?: Volume[]
  initContainers?: Container[]
  containers: Container[] | null
  ephemeralContainers?: Container[]
  restartPolicy?: string
  terminationGracePeriodSeconds?: number
  activeDeadlineSeconds?: number
  dnsPolicy?: string
  nodeSelector?: Record<string, string>
  serviceAccountName?: string
  serviceAccount?: string
  automountServiceAccountToken?: boolean
  nodeName?: string
  hostNetwork?: boolean
  hostPID?: boolean
  hostIPC?: boolean
  shareProcessNamespace?: boolean
  securityContext?: PodSecurityContext
  imagePullSecrets?: { name?: string }[]
  hostname?: string
  subdomain?: string
  affinity?: Affinity
  schedulerName?: string
  tolerations?: Toleration[]
  hostAliases?: { ip: string; hostnames?: string[] }[]
  priorityClassName?: string
  priority?: number
  dnsConfig?: { nameservers?: string[]; searches?: string[]; options?: { name?: string; value?: string }[] }
  readinessGates?: { conditionType: string }[]
  runtimeClassName?: string
  enableServiceLinks?: boolean
  preemptionPolicy?: string
  overhead?: ResourceList
  topologySpreadConstraints?: TopologySpreadConstraint[]
  os?: { name: string }
  hostUsers?: boolean
  schedulingGates?: { name: string }[]
  resourceClaims?: { name: string; resourceClaimName?: string; resourceClaimTemplateName?: string }[]
  resources?: ResourceRequirements
  hostnameOverride?: string
  setHostnameAsFQDN?: boolean
  schedulingGroup?: { podGroupName?: string }
}

export interface PodCondition {
  type: string
  status: string
  lastProbeTime?: string | null
  lastTransitionTime?: string | null
  reason?: string
  message?: string
}

export interface Pod extends KubernetesObject {
  spec: PodSpec
  status: { phase?: string; qosClass?: string; conditions?: PodCondition[]; [field: string]: unknown }
}

export interface PodTemplateSpec {
  metadata: ObjectMeta
  spec: PodSpec
}

/** Claims to devices and what tells of devices, as decoding leaves them: what has no omitempty is always there. */
import type { JsonValue } from '../../go/json-value.ts'
import type { KubernetesObject, ObjectMeta } from '../../meta/object-meta.ts'
import type { Condition } from '../validation/status/conditions.ts'
import type { Affinity } from './pod.ts'

export type NodeSelector = NonNullable<NonNullable<Affinity['nodeAffinity']>['requiredDuringSchedulingIgnoredDuringExecution']>

export interface DeviceSelector {
  cel?: { expression: string }
}

export interface DeviceToleration {
  key?: string
  operator?: string
  value?: string
  effect?: string
}

export interface ExactDeviceRequest {
  deviceClassName: string
  selectors?: DeviceSelector[]
  allocationMode?: string
  adminAccess?: boolean
  count?: number
  tolerations?: DeviceToleration[]
}

export interface DeviceSubRequest extends ExactDeviceRequest {
  name: string
}

export interface DeviceRequest {
  name: string
  exactly?: ExactDeviceRequest
  firstAvailable?: DeviceSubRequest[]
}

export interface DeviceConstraint {
  requests?: string[]
  matchAttribute?: string
  distinctAttribute?: string
}

export interface DeviceConfiguration {
  opaque?: { driver: string; parameters: JsonValue }
}

export interface DeviceClaimConfiguration extends DeviceConfiguration {
  requests?: string[]
}

export interface DeviceClaim {
  requests: DeviceRequest[] | null
  constraints?: DeviceConstraint[]
  config?: DeviceClaimConfiguration[]
}

export interface ResourceClaimSpec {
  devices: DeviceClaim
}

export interface DeviceRequestAllocationResult {
  request: string
  driver: string
  pool: string
  device: string
  adminAccess?: boolean
  bindingConditions?: string[]
  bindingFailureConditions?: string[]
  shareID?: string
}

export interface DeviceAllocationConfiguration extends DeviceClaimConfiguration {
  source: string
}

export interface AllocationResult {
  devices?: { results?: DeviceRequestAllocationResult[]; config?: DeviceAllocationConfiguration[] }
  nodeSelector?: NodeSelector
}

export interface AllocatedDeviceStatus {
  driver: string
  pool: string
  device: string
  shareID?: string
  conditions?: Condition[] | null
  data?: JsonValue
  networkData?: { interfaceName?: string; ips?: string[]; hardwareAddress?: string }
}

export interface ResourceClaimStatus {
  allocation?: AllocationResult
  reservedFor?: { resource: string; name: string; uid: string }[]
  devices?: AllocatedDeviceStatus[]
}

export interface ResourceClaim extends KubernetesObject {
  spec: ResourceClaimSpec
  status?: ResourceClaimStatus
}

export interface ResourceClaimTemplate extends KubernetesObject {
  spec: { metadata?: ObjectMeta; spec: ResourceClaimSpec }
}

export interface DeviceClass extends KubernetesObject {
  spec: { selectors?: DeviceSelector[]; config?: DeviceConfiguration[]; extendedResourceName?: string }
}

export interface DeviceAttribute {
  int?: number
  bool?: boolean
  string?: string
  version?: string
  ints?: number[]
  bools?: boolean[]
  strings?: string[]
  versions?: string[]
}

export interface RequestPolicy {
  default?: string | null
  validValues?: string[]
  validRange?: { min?: string; max?: string; step?: string }
}

export interface DeviceCapacity {
  value: string
  requestPolicy?: RequestPolicy
}

export interface DeviceTaint {
  key: string
  value?: string
  effect: string
}

export interface CounterConsumption {
  counterSet: string
  counters: Record<string, { value: string }> | null
}

export interface CounterSet {
  name: string
  counters: Record<string, { value: string }> | null
}

export interface ResourceMapping {
  allocationMultiplier?: string
  capacityKey?: string
}

export interface Device {
  name: string
  attributes?: Record<string, DeviceAttribute>
  capacity?: Record<string, DeviceCapacity>
  consumesCounters?: CounterConsumption[]
  nodeName?: string
  nodeSelector?: NodeSelector
  allNodes?: boolean
  taints?: DeviceTaint[]
  bindsToNode?: boolean
  bindingConditions?: string[]
  bindingFailureConditions?: string[]
  allowMultipleAllocations?: boolean
  nodeAllocatableResourceMappings?: Record<string, ResourceMapping>
}

export interface ResourceSliceSpec {
  driver: string
  pool: { name: string; generation: number; resourceSliceCount: number }
  nodeName?: string
  nodeSelector?: NodeSelector
  allNodes?: boolean
  devices?: Device[]
  perDeviceNodeSelection?: boolean
  sharedCounters?: CounterSet[]
}

export interface ResourceSlice extends KubernetesObject {
  spec: ResourceSliceSpec
}

/** The strategy of Services: allocates cluster IPs and node ports, and drops fields when the type changes. */
import type { Service, ServiceSpec } from '../../../catalog/generated/types/core.v1.ts'
import {
  isExternallyAccessible,
  mayHaveNodePort,
  needsClusterIp,
  needsHealthCheck,
  needsNodePort,
} from '../../../catalog/service-types.ts'
import { validateService, validateServiceUpdate } from '../../../catalog/validation/core/service.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { allocateAddresses } from './service-addresses.ts'
import { allocateNodePorts } from './service-node-ports.ts'

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
const sameIn = (a: Service, b: Service, field: keyof ServiceSpec): boolean => same(a.spec[field], b.spec[field])

const nodePortsOf = ({ spec }: Service): number[] =>
  (spec.ports ?? []).map((port) => port.nodePort ?? 0).filter((port) => port !== 0)

const isLoadBalancer = ({ spec }: Service): boolean => spec.type === 'LoadBalancer'

const addressFields = ['clusterIP', 'clusterIPs'] as const

/** Drops fields that only the old type has. If the client changed such a field, it is left for validation to reject. */
function dropFieldsOfFormerType(service: Service, old: Service): void {
  const { spec } = service
  if (needsClusterIp(old) && !needsClusterIp(service)) {
    if (addressFields.every((field) => sameIn(service, old, field))) for (const field of addressFields) delete spec[field]
    for (const field of ['ipFamilies', 'ipFamilyPolicy'] as const) if (sameIn(service, old, field)) delete spec[field]
  }
  const former = new Set(nodePortsOf(old))
  if (mayHaveNodePort(old) && !mayHaveNodePort(service) && nodePortsOf(service).every((port) => former.has(port))) {
    for (const port of spec.ports ?? []) delete port.nodePort
  }
  const dropped: [keyof ServiceSpec, (service: Service) => boolean][] = [
    ['healthCheckNodePort', needsHealthCheck],
    ['allocateLoadBalancerNodePorts', isLoadBalancer],
    ['loadBalancerClass', isLoadBalancer],
    ['externalTrafficPolicy', isExternallyAccessible],
  ]
  for (const [field, applies] of dropped) {
    if (applies(old) && !applies(service) && sameIn(service, old, field)) delete spec[field]
  }
  if (spec.type !== 'LoadBalancer') service.status.loadBalancer = {}
}

/** Restores allocated values that the client omitted. */
function keepAllocated(service: Service, old: Service): void {
  if (needsClusterIp(old) && needsClusterIp(service)) {
    if (service.spec.clusterIP === undefined && old.spec.clusterIP !== undefined) service.spec.clusterIP = old.spec.clusterIP
    if (service.spec.clusterIPs === undefined && old.spec.clusterIPs !== undefined)
      service.spec.clusterIPs = [...old.spec.clusterIPs]
  }
  if (needsNodePort(old) && needsNodePort(service)) keepNodePorts(service, old)
  if (needsHealthCheck(old) && needsHealthCheck(service) && old.spec.healthCheckNodePort !== undefined) {
    service.spec.healthCheckNodePort ??= old.spec.healthCheckNodePort
  }
}

function keepNodePorts(service: Service, old: Service): void {
  const requested = new Set(nodePortsOf(service))
  const used = new Set(nodePortsOf(old).filter((port) => requested.has(port)))
  const byName = new Map((old.spec.ports ?? []).map((port) => [port.name, port.nodePort ?? 0]))
  for (const port of service.spec.ports ?? []) {
    const before = byName.get(port.name) ?? 0
    if ((port.nodePort ?? 0) === 0 && before !== 0 && !used.has(before)) port.nodePort = before
  }
}

/** Makes clusterIP and clusterIPs consistent if the client changed only one of them. */
function alignAddresses({ spec }: Service, old: Service | undefined): void {
  const { clusterIP, clusterIPs } = spec
  if (old === undefined) {
    if (clusterIP !== undefined && clusterIPs === undefined) spec.clusterIPs = [clusterIP]
    return
  }
  const samePlural = same(clusterIPs, old.spec.clusterIPs)
  if (clusterIP === old.spec.clusterIP) {
    if (clusterIPs === undefined && old.spec.clusterIPs !== undefined) spec.clusterIPs = [...old.spec.clusterIPs]
  } else if (samePlural) {
    if (clusterIP === undefined) delete spec.clusterIPs
    else spec.clusterIPs = [clusterIP]
  }
}

/** Drops internalTrafficPolicy of an ExternalName Service, which has no cluster IP. An invalid value is left for validation. */
function dropInternalPolicy({ spec }: Service): void {
  const { type, internalTrafficPolicy } = spec
  if (type === 'ExternalName' && ['Cluster', 'Local'].includes(internalTrafficPolicy ?? '')) delete spec.internalTrafficPolicy
}

export const serviceHooks: StrategyHooks = {
  beginCreate(object, context) {
    const service = object as Service
    alignAddresses(service, undefined)
    allocateAddresses(service, undefined, context)
    allocateNodePorts(service, undefined, context)
  },
  prepareForCreate: (object) => dropInternalPolicy(object as Service),
  prepareForUpdate(object, before, context) {
    const service = object as Service
    const old = before as Service
    keepAllocated(service, old)
    alignAddresses(service, old)
    allocateAddresses(service, old, context)
    allocateNodePorts(service, old, context)
    dropFieldsOfFormerType(service, old)
    dropInternalPolicy(service)
  },
  validate: (object) => validateService(object as Service),
  validateUpdate: (object, old) => validateServiceUpdate(object as Service, old as Service),
}

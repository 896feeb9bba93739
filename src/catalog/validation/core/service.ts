/** Checks of Services. Follows validateService of k8s.io/kubernetes/pkg/apis/core/validation. */
import { asJson, type FieldError } from '../../../meta/field-error.ts'
import { inclusiveRangeError } from '../../../meta/names.ts'
import { validateLabels } from '../../../meta/object-meta-validation.ts'
import * as corev1 from '../../generated/types/core.v1.ts'
import { isExternallyAccessible, needsHealthCheck } from '../../service-types.ts'
import { checkCidr, checkIp, Errors, itemsOf } from '../checks.ts'
import { checkNonSpecialIp } from './endpoint-ip.ts'
import { checkClusterIpsChange, isHeadless, validateClusterIps } from './service-addresses.ts'

const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode']
const sourceRanges = 'service.beta.kubernetes.io/load-balancer-source-ranges'
const topologyHints = 'service.kubernetes.io/topology-aware-hints'
const topologyMode = 'service.kubernetes.io/topology-mode'
const onlyLoadBalancer = "may only be used when `type` is 'LoadBalancer'"
const longestAffinity = 86400

function checkAnnotations({ metadata }: corev1.Service, errors: Errors): void {
  const { annotations = {} } = metadata
  const mode = annotations[topologyMode]
  const hints = annotations[topologyHints]
  if (mode === undefined || hints === undefined || mode === hints) return
  const text = `must match annotations[${topologyHints}] when both are specified`
  errors.invalid(`metadata.annotations[${topologyMode}]`, mode, text)
}

function checkExternalName({ spec }: corev1.Service, errors: Errors): void {
  const refused = 'may not be set for ExternalName services'
  if ((spec.clusterIPs ?? []).length > 0) errors.forbidden('spec.clusterIPs', refused)
  if ((spec.ipFamilies ?? []).length > 0) errors.forbidden('spec.ipFamilies', refused)
  if (spec.ipFamilyPolicy !== undefined) errors.forbidden('spec.ipFamilyPolicy', refused)
  const name = (spec.externalName ?? '').replace(/\.$/, '')
  if (name === '') errors.required('spec.externalName')
  else errors.checkDnsSubdomain(name, 'spec.externalName')
}

function checkType(service: corev1.Service, errors: Errors): void {
  const { type, ports = [] } = service.spec
  if (ports.length === 0 && !isHeadless(service) && type !== 'ExternalName') errors.required('spec.ports')
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(service)) {
    errors.invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`)
  }
  if (type === 'ExternalName') checkExternalName(service, errors)
}

function checkPortName(
  { name = '' }: corev1.ServicePort,
  ports: readonly corev1.ServicePort[],
  names: Set<string>,
  field: string,
  errors: Errors,
): void {
  if (name === '') {
    if (ports.length > 1) errors.required(field)
    return
  }
  errors.checkDnsLabel(name, field)
  errors.checkUnique(names, name, field)
}

function checkPorts({ spec }: corev1.Service, errors: Errors): void {
  const { ports = [] } = spec
  const names = new Set<string>()
  for (const [index, port] of ports.entries()) {
    const field = `spec.ports[${index}]`
    checkPortName(port, ports, names, `${field}.name`, errors)
    errors.checkPortNumber(port.port, `${field}.port`)
    errors.checkRequiredSupported(port.protocol, corev1.Protocol, `${field}.protocol`)
    errors.checkPort(port.targetPort, `${field}.targetPort`)
    if (port.appProtocol !== undefined) errors.checkQualifiedName(port.appProtocol, `${field}.appProtocol`)
  }
}

function checkAffinity({ spec }: corev1.Service, errors: Errors): void {
  errors.checkRequiredSupported(spec.sessionAffinity, corev1.ServiceAffinity, 'spec.sessionAffinity')
  const field = 'spec.sessionAffinityConfig'
  if (spec.sessionAffinity === 'None' && spec.sessionAffinityConfig !== undefined) {
    errors.forbidden(field, 'must not be set when session affinity is None')
  }
  const seconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds
  if (spec.sessionAffinity !== 'ClientIP' || seconds === undefined) return
  if (seconds <= 0 || seconds > longestAffinity) {
    errors.invalid(`${field}.clientIP.timeoutSeconds`, seconds, `must be greater than 0 and less than ${longestAffinity}`)
  }
}

function checkExternalIps({ spec }: corev1.Service, old: corev1.Service | undefined, errors: Errors): void {
  const before = new Set(old?.spec.externalIPs)
  for (const [field, address] of itemsOf(spec.externalIPs, 'spec.externalIPs')) {
    const found = errors.length
    checkIp(address, field, errors, before)
    if (errors.length === found) checkNonSpecialIp(address, field, errors)
  }
}

/** Converts a duplicate port to the internal form that the error message quotes. */
const internalPort = ({ protocol, port }: corev1.ServicePort): unknown => ({
  Name: '',
  Protocol: protocol,
  AppProtocol: null,
  Port: port,
  TargetPort: 0,
  NodePort: 0,
})

function checkUniquePorts({ spec }: corev1.Service, errors: Errors): void {
  const { ports = [], type } = spec
  for (const [index, port] of ports.entries()) {
    if (type === 'ClusterIP' && (port.nodePort ?? 0) !== 0) {
      errors.forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'")
    }
  }
  const nodePorts = new Set<string>()
  for (const [index, { nodePort = 0, protocol = '' }] of ports.entries()) {
    if (nodePort === 0) continue
    const key = `${protocol} ${nodePort}`
    errors.checkUnique(nodePorts, key, `spec.ports[${index}].nodePort`, nodePort)
  }
  const numbers = new Set<string>()
  for (const [index, port] of ports.entries()) {
    const key = `${port.protocol ?? ''} ${port.port}`
    errors.checkUnique(numbers, key, `spec.ports[${index}]`, internalPort(port))
  }
}

function checkSourceRanges({ spec, metadata }: corev1.Service, old: corev1.Service | undefined, errors: Errors): void {
  const ranges = spec.loadBalancerSourceRanges ?? []
  const annotation = metadata.annotations?.[sourceRanges]
  const refused = spec.type !== 'LoadBalancer'
  if (ranges.length > 0) {
    const field = 'spec.LoadBalancerSourceRanges'
    if (refused) errors.forbidden(field, onlyLoadBalancer)
    const before = new Set((old?.spec.loadBalancerSourceRanges ?? []).map((range) => range.trim()))
    for (const [index, range] of ranges.entries()) checkCidr(range.trim(), `${field}[${index}]`, errors, before)
  } else if (annotation !== undefined) {
    const field = `metadata.annotations[${sourceRanges}]`
    if (refused) errors.forbidden(field, onlyLoadBalancer)
    if (annotation === old?.metadata.annotations?.[sourceRanges] || annotation.trim() === '') return
    for (const range of annotation.trim().split(',')) checkCidr(range.trim(), field, errors)
  }
}

function checkLoadBalancer({ spec }: corev1.Service, errors: Errors): void {
  const isBalanced = spec.type === 'LoadBalancer'
  if (spec.allocateLoadBalancerNodePorts !== undefined && !isBalanced) {
    errors.forbidden('spec.allocateLoadBalancerNodePorts', onlyLoadBalancer)
  }
  if (spec.allocateLoadBalancerNodePorts === undefined && isBalanced) errors.required('allocateLoadBalancerNodePorts')
  checkLoadBalancerClass(spec.loadBalancerClass, isBalanced, errors)
}

function checkLoadBalancerClass(value: string | undefined, isBalanced: boolean, errors: Errors): void {
  const field = 'spec.loadBalancerClass'
  if (value === undefined) return
  if (isBalanced) errors.checkQualifiedName(value, field)
  else errors.forbidden(field, onlyLoadBalancer)
}

function checkTrafficPolicies(service: corev1.Service, errors: Errors): void {
  const { externalTrafficPolicy = '', healthCheckNodePort = 0, internalTrafficPolicy, type } = service.spec
  const field = 'spec.externalTrafficPolicy'
  if (isExternallyAccessible(service))
    errors.checkRequiredSupported(externalTrafficPolicy, corev1.ServiceExternalTrafficPolicy, field)
  else if (externalTrafficPolicy !== '') {
    errors.invalid(field, asJson(externalTrafficPolicy), 'may only be set for externally-accessible services')
  }
  checkHealthCheckPort(needsHealthCheck(service), healthCheckNodePort, errors)
  if (internalTrafficPolicy === undefined) {
    if (type === 'ClusterIP' || type === 'NodePort' || type === 'LoadBalancer') errors.required('spec.internalTrafficPolicy')
  } else errors.checkSupported(internalTrafficPolicy, corev1.ServiceExternalTrafficPolicy, 'spec.internalTrafficPolicy')
}

function checkHealthCheckPort(isNeeded: boolean, port: number, errors: Errors): void {
  const field = 'spec.healthCheckNodePort'
  if (isNeeded && port === 0) errors.required(field)
  else if (isNeeded && (port < 1 || port > 65535)) errors.invalid(field, port, inclusiveRangeError(1, 65535))
  else if (!isNeeded && port !== 0) {
    errors.invalid(field, port, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'")
  }
}

/** Validates a Service, except its metadata. `old` is absent on create. */
export function validateService(service: corev1.Service, old?: corev1.Service): FieldError[] {
  const { spec } = service
  const errors = new Errors()
  checkAnnotations(service, errors)
  checkType(service, errors)
  checkPorts(service, errors)
  if (spec.selector !== undefined) errors.push(...validateLabels(spec.selector, 'spec.selector'))
  checkAffinity(service, errors)
  errors.push(...validateClusterIps(service, old))
  checkExternalIps(service, old, errors)
  errors.checkRequiredSupported(spec.type, corev1.ServiceType, 'spec.type')
  checkUniquePorts(service, errors)
  checkSourceRanges(service, old, errors)
  checkLoadBalancer(service, errors)
  checkTrafficPolicies(service, errors)
  if (spec.trafficDistribution !== undefined && !distributions.includes(spec.trafficDistribution)) {
    errors.textNotSupported('spec.trafficDistribution', spec.trafficDistribution, distributions)
  }
  return errors
}

/** Validates an update of a Service. */
export function validateServiceUpdate(service: corev1.Service, old: corev1.Service): FieldError[] {
  const errors = new Errors()
  checkClusterIpsChange(service, old, errors)
  const { type, loadBalancerClass, healthCheckNodePort } = service.spec
  if (type === 'LoadBalancer' && old.spec.type === type && loadBalancerClass !== old.spec.loadBalancerClass) {
    errors.invalid('spec.loadBalancerClass', loadBalancerClass && asJson(loadBalancerClass), 'may not change once set')
  }
  checkLoadBalancerClass(loadBalancerClass, type === 'LoadBalancer', errors)
  if (needsHealthCheck(old) && needsHealthCheck(service) && healthCheckNodePort !== old.spec.healthCheckNodePort) {
    errors.forbidden('spec.healthCheckNodePort', 'field is immutable')
  }
  return [...errors, ...validateService(service, old)]
}

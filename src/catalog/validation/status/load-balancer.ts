/**
 * Checks of the load balancer addresses in a status. Follows ValidateLoadBalancerStatus and ValidateIngressLoadBalancerStatus of
 * k8s.io/kubernetes/pkg/apis/{core,networking}/validation.
 */
import { type FieldError, forbiddenValue } from '../../../meta/field-error.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { parseIp } from '../../../net/ip.ts'
import { checkIp, Errors, itemsOf } from '../checks.ts'

interface Balanced extends KubernetesObject {
  spec: { type?: string }
  status?: { loadBalancer?: { ingress?: { ip?: string; hostname?: string; ipMode?: string }[] } }
}

type Ingress = readonly { ip?: string; hostname?: string; ipMode?: string }[]

const field = 'status.loadBalancer.ingress'
const modes = ['Proxy', 'VIP']

const ingressOf = (object: KubernetesObject): Ingress => (object as Balanced).status?.loadBalancer?.ingress ?? []

function checkHostname(hostname: string, at: string, errors: Errors): void {
  if (hostname === '') return
  errors.checkDnsSubdomain(hostname, at)
  if (parseIp(hostname) !== undefined) errors.invalid(at, hostname, 'must be a DNS name, not an IP address')
}

function checkMode(ip: string, mode: string | undefined, at: string, errors: Errors): void {
  if (mode === undefined) {
    if (ip !== '') errors.required(at, 'must be specified when `ip` is set')
  } else if (ip === '') errors.forbidden(at, 'may not be specified when `ip` is not set')
  else if (!modes.includes(mode)) errors.notSupported(at, mode, modes)
}

function validateAddresses(object: KubernetesObject, old: KubernetesObject, kind: 'Ingress' | 'Service'): FieldError[] {
  const errors = new Errors()
  const before = new Set(ingressOf(old).map(({ ip = '' }) => ip))
  for (const [at, { ip = '', hostname = '', ipMode }] of itemsOf(ingressOf(object), field)) {
    if (ip !== '') checkIp(ip, `${at}.ip`, errors, before)
    if (kind === 'Service') checkMode(ip, ipMode, `${at}.ipMode`, errors)
    checkHostname(hostname, `${at}.hostname`, errors)
  }
  return errors
}

/** Validates an update of an Ingress's status. */
export const validateIngressStatus = (object: KubernetesObject, old: KubernetesObject): FieldError[] =>
  validateAddresses(object, old, 'Ingress')

/** Validates an update of a Service's status. */
export function validateServiceStatus(object: KubernetesObject, old: KubernetesObject): FieldError[] {
  if ((object as Balanced).spec.type === 'LoadBalancer' || ingressOf(object).length === 0) {
    return validateAddresses(object, old, 'Service')
  }
  return [forbiddenValue(field, "may only be used when `spec.type` is 'LoadBalancer'")]
}

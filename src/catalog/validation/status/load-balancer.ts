/**
 * Checks of the addresses at which load balancers answer.
 * Follows ValidateLoadBalancerStatus and ValidateIngressLoadBalancerStatus of k8s.io/kubernetes/pkg/apis/{core,networking}/validation.
 */
import { type FieldError, forbiddenValue, invalidValue, notSupported, required } from '../../../meta/field-error.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { parseIp } from '../../../net/ip.ts'
import { checkDnsSubdomain, checkIp, type Errors } from '../checks.ts'

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
  checkDnsSubdomain(hostname, at, errors)
  if (parseIp(hostname) !== undefined) errors.push(invalidValue(at, hostname, 'must be a DNS name, not an IP address'))
}

function checkMode(ip: string, mode: string | undefined, at: string, errors: Errors): void {
  if (mode === undefined) {
    if (ip !== '') errors.push(required(at, 'must be specified when `ip` is set'))
  } else if (ip === '') errors.push(forbiddenValue(at, 'may not be specified when `ip` is not set'))
  else if (!modes.includes(mode)) errors.push(notSupported(at, mode, modes))
}

function validateAddresses(object: KubernetesObject, old: KubernetesObject, kind: 'Ingress' | 'Service'): FieldError[] {
  const errors: Errors = []
  const before = ingressOf(old).map(({ ip = '' }) => ip)
  for (const [index, { ip = '', hostname = '', ipMode }] of ingressOf(object).entries()) {
    const at = `${field}[${index}]`
    if (ip !== '') checkIp(ip, `${at}.ip`, errors, before)
    if (kind === 'Service') checkMode(ip, ipMode, `${at}.ipMode`, errors)
    checkHostname(hostname, `${at}.hostname`, errors)
  }
  return errors
}

/** Finds what is wrong with a change of an Ingress's status. */
export const validateIngressStatus = (object: KubernetesObject, old: KubernetesObject): FieldError[] =>
  validateAddresses(object, old, 'Ingress')

/** Finds what is wrong with a change of a Service's status. */
export function validateServiceStatus(object: KubernetesObject, old: KubernetesObject): FieldError[] {
  if ((object as Balanced).spec.type === 'LoadBalancer' || ingressOf(object).length === 0) {
    return validateAddresses(object, old, 'Service')
  }
  return [forbiddenValue(field, "may only be used when `spec.type` is 'LoadBalancer'")]
}

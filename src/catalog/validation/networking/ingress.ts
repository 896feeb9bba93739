/** Checks of Ingresses. Follows k8s.io/kubernetes/pkg/apis/networking/validation. */
import { type FieldError, invalidValue, required } from '../../../meta/field-error.ts'
import { isPortName, isWildcardDns1123Subdomain } from '../../../meta/identifiers.ts'
import { isDns1123Subdomain } from '../../../meta/names.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { parseIp } from '../../../net/ip.ts'
import { checkDnsLabel, checkDnsSubdomain, checkMessages, checkPortNumber, checkSupported, type Errors } from '../checks.ts'
import { checkTypedReference } from './ingress-class.ts'

interface Backend {
  service?: { name: string; port?: { name?: string; number?: number } }
  resource?: { apiGroup?: string | null; kind: string; name: string }
}

interface Path {
  path?: string
  pathType: string | null
  backend: Backend
}

interface Ingress extends KubernetesObject {
  spec: {
    ingressClassName?: string
    defaultBackend?: Backend
    tls?: { hosts?: string[]; secretName?: string }[]
    rules?: { host?: string; http?: { paths: Path[] | null } }[]
  }
}

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix']
const badSequences = ['//', '/./', '/../', '%2f', '%2F']
const badSuffixes = ['/..', '/.']

function checkServicePort({ name = '', number = 0 }: { name?: string; number?: number }, field: string, errors: Errors): void {
  if (name !== '' && number !== 0) errors.push(invalidValue(field, '', 'cannot set both port name & port number'))
  else if (name !== '') checkMessages(isPortName(name), name, `${field}.service.port.name`, errors)
  else if (number !== 0) checkPortNumber(number, `${field}.service.port.number`, errors)
  else errors.push(required(field, 'port name or number is required'))
}

function checkBackend({ resource, service }: Backend, field: string, errors: Errors): void {
  if (resource !== undefined && service !== undefined) {
    errors.push(invalidValue(field, '', 'cannot set both resource and service backends'))
  } else if (resource !== undefined) checkTypedReference(resource, `${field}.resource`, errors)
  else if (service !== undefined) {
    if (service.name === '') errors.push(required(`${field}.service.name`))
    else checkDnsLabel(service.name, `${field}.service.name`, errors)
    checkServicePort(service.port ?? {}, field, errors)
  } else errors.push(invalidValue(field, '', 'resource or service backend is required'))
}

function checkPathText(path: string, type: string, field: string, errors: Errors): void {
  const isLoose = type === 'ImplementationSpecific'
  if (!path.startsWith('/') && !(isLoose && path === '')) errors.push(invalidValue(field, path, 'must be an absolute path'))
  if (isLoose) return
  for (const text of badSequences) if (path.includes(text)) errors.push(invalidValue(field, path, `must not contain '${text}'`))
  for (const text of badSuffixes) if (path.endsWith(text)) errors.push(invalidValue(field, path, `cannot end with '${text}'`))
}

function checkPath({ path = '', pathType, backend }: Path, field: string, errors: Errors): void {
  if (pathType === null || pathType === undefined) {
    errors.push(required(`${field}.pathType`, 'pathType must be specified'))
    return
  }
  if (pathTypes.includes(pathType)) checkPathText(path, pathType, `${field}.path`, errors)
  else checkSupported(pathType, pathTypes, `${field}.pathType`, errors)
  checkBackend(backend, `${field}.backend`, errors)
}

function checkHost(host: string, field: string, errors: Errors): void {
  const check = host.includes('*') ? isWildcardDns1123Subdomain : isDns1123Subdomain
  checkMessages(check(host), host, field, errors)
}

function checkRules({ spec }: Ingress, errors: Errors): void {
  for (const [index, { host = '', http }] of (spec.rules ?? []).entries()) {
    const field = `spec.rules[${index}]`
    if (parseIp(host) !== undefined) errors.push(invalidValue(`${field}.host`, host, 'must be a DNS name, not an IP address'))
    if (host !== '') checkHost(host, `${field}.host`, errors)
    if (http === undefined) continue
    const paths = http.paths ?? []
    if (paths.length === 0) errors.push(required(`${field}.http.paths`))
    for (const [at, path] of paths.entries()) checkPath(path, `${field}.http.paths[${at}]`, errors)
  }
}

/** What is wrong with an Ingress, its metadata left out. */
export function validateIngress(ingress: Ingress): FieldError[] {
  const errors: Errors = []
  const { defaultBackend, rules = [], tls = [], ingressClassName } = ingress.spec
  if (rules.length === 0 && defaultBackend === undefined) {
    errors.push(invalidValue('spec', null, 'either `defaultBackend` or `rules` must be specified'))
  }
  if (defaultBackend !== undefined) checkBackend(defaultBackend, 'spec.defaultBackend', errors)
  checkRules(ingress, errors)
  for (const [index, { hosts = [], secretName = '' }] of tls.entries()) {
    const field = `spec.tls[${index}]`
    for (const [at, host] of hosts.entries()) checkHost(host, `${field}.hosts[${at}]`, errors)
    if (secretName !== '') checkDnsSubdomain(secretName, `${field}.secretName`, errors)
  }
  if (ingressClassName !== undefined) checkDnsSubdomain(ingressClassName, 'spec.ingressClassName', errors)
  return errors
}

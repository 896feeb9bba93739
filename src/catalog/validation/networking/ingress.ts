import { ownValue } from '../../../go/own-value.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { isPortName, isWildcardDns1123Subdomain } from '../../../meta/identifiers.ts'
import { isDns1123Subdomain } from '../../../meta/names.ts'
import { parseIp } from '../../../net/ip.ts'
import { explicitEmpty } from '../../../schema/explicit-empty.ts'
import { type HTTPIngressPath, type Ingress, type IngressBackend, PathType } from '../../generated/types/networking.v1.ts'
import type { KindFacts } from '../../kind.ts'
import { type Errors, itemsOf, validator } from '../checks.ts'
import { checkTypedReference } from './ingress-class.ts'

const badSequences = ['//', '/./', '/../', '%2f', '%2F']
const badSuffixes = ['/..', '/.']

function checkServicePort({ name = '', number = 0 }: { name?: string; number?: number }, field: string, errors: Errors): void {
  if (name !== '' && number !== 0) errors.invalid(field, '', 'cannot set both port name & port number')
  else if (name !== '') errors.checkMessages(isPortName(name), name, `${field}.service.port.name`)
  else if (number !== 0) errors.checkPortNumber(number, `${field}.service.port.number`)
  else errors.required(field, 'port name or number is required')
}

function checkBackend({ resource, service }: IngressBackend, field: string, errors: Errors): void {
  if (resource !== undefined && service !== undefined) {
    errors.invalid(field, '', 'cannot set both resource and service backends')
  } else if (resource !== undefined) checkTypedReference(resource, `${field}.resource`, errors)
  else if (service !== undefined) {
    if (service.name === '') errors.required(`${field}.service.name`)
    else errors.checkDnsLabel(service.name, `${field}.service.name`)
    checkServicePort(service.port ?? {}, field, errors)
  } else errors.invalid(field, '', 'resource or service backend is required')
}

function checkPathText(path: string, type: string, field: string, errors: Errors): void {
  const isLoose = type === 'ImplementationSpecific'
  if (!path.startsWith('/') && !(isLoose && path === '')) errors.invalid(field, path, 'must be an absolute path')
  if (isLoose) return
  for (const text of badSequences) if (path.includes(text)) errors.invalid(field, path, `must not contain '${text}'`)
  for (const text of badSuffixes) if (path.endsWith(text)) errors.invalid(field, path, `cannot end with '${text}'`)
}

function checkPath({ path = '', pathType, backend }: HTTPIngressPath, field: string, errors: Errors): void {
  if (pathType === null || pathType === undefined) {
    errors.required(`${field}.pathType`, 'pathType must be specified')
    return
  }
  if (PathType.includes(pathType)) checkPathText(path, pathType, `${field}.path`, errors)
  else errors.checkSupported(pathType, PathType, `${field}.pathType`)
  checkBackend(backend, `${field}.backend`, errors)
}

function checkHost(host: string, field: string, errors: Errors): void {
  const check = host.includes('*') ? isWildcardDns1123Subdomain : isDns1123Subdomain
  errors.checkMessages(check(host), host, field)
}

function checkRules({ spec }: Ingress, errors: Errors): void {
  for (const [field, { host = '', http }] of itemsOf(spec.rules, 'spec.rules')) {
    if (parseIp(host) !== undefined) errors.invalid(`${field}.host`, host, 'must be a DNS name, not an IP address')
    if (host !== '') checkHost(host, `${field}.host`, errors)
    if (http === undefined) continue
    const paths = http.paths ?? []
    if (paths.length === 0) errors.required(`${field}.http.paths`)
    for (const [at, path] of paths.entries()) checkPath(path, `${field}.http.paths[${at}]`, errors)
  }
}

/** The names of fields in v1beta1, in the order in which they are replaced. */
const formerNames: readonly (readonly [RegExp, string])[] = [
  [/\.defaultBackend\b/, '.backend'],
  [/\.service\.name$/, '.serviceName'],
  [/\.service\.port\.(?:name|number)$/, '.servicePort'],
]

/** Returns the errors with the names of fields that the request's version has. */
export function namedAsIn({ version }: KindFacts, errors: readonly FieldError[]): FieldError[] {
  if (version === 'v1') return [...errors]
  return errors.map(({ reason, field, text }) => ({
    reason,
    field: formerNames.reduce((path, [pattern, name]) => path.replace(pattern, name), field),
    text: text.replace('`defaultBackend`', '`backend`'),
  }))
}

/** Validates an Ingress, except its metadata. */
export const validateIngress = validator((errors, ingress: Ingress) => {
  const { defaultBackend, rules = [], tls = [], ingressClassName } = ingress.spec
  if (rules.length === 0 && defaultBackend === undefined) {
    const value = explicitEmpty(ingress.spec, 'rules') ?? null
    errors.invalid('spec', value, 'either `defaultBackend` or `rules` must be specified')
  }
  if (defaultBackend !== undefined) checkBackend(defaultBackend, 'spec.defaultBackend', errors)
  checkRules(ingress, errors)
  for (const [field, { hosts = [], secretName = '' }] of itemsOf(tls, 'spec.tls')) {
    for (const [at, host] of hosts.entries()) checkHost(host, `${field}.hosts[${at}]`, errors)
    if (secretName !== '') errors.checkDnsSubdomain(secretName, `${field}.secretName`)
  }
  if (ingressClassName !== undefined) errors.checkDnsSubdomain(ingressClassName, 'spec.ingressClassName')
})

const classAnnotation = 'kubernetes.io/ingress.class'

/** Validates a new Ingress, except its metadata: the annotation with the class must agree with the field. */
export const validateNewIngress = validator((errors, ingress: Ingress) => {
  errors.push(...validateIngress(ingress))
  const { ingressClassName } = ingress.spec
  const annotated = ownValue(ingress.metadata.annotations, classAnnotation)
  if (annotated === undefined || ingressClassName === undefined || annotated === ingressClassName) return
  errors.invalid(`annotations.${classAnnotation}`, annotated, 'must match `ingressClassName` when both are specified')
})

/** Checks of IngressClasses. Follows ValidateIngressClass of k8s.io/kubernetes/pkg/apis/networking/validation. */
import { utf8Length } from '../../../go/text.ts'
import { isPathSegmentName, regexError } from '../../../meta/names.ts'
import type { IngressClass, IngressClassParametersReference } from '../../generated/types/networking.v1.ts'
import { type Errors, validator } from '../checks.ts'

const longestController = 250
const scopes = ['Cluster', 'Namespace']
const pathCharacters = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
const path = new RegExp(`^${pathCharacters}$`)

/** Checks a domain-prefixed path: `example.com/controller` (IsDomainPrefixedPath). */
function checkDomainPath(value: string, field: string, errors: Errors): void {
  if (value === '') {
    errors.required(field)
    return
  }
  const slash = value.indexOf('/')
  const [host, rest] = [value.slice(0, Math.max(0, slash)), value.slice(slash + 1)]
  if (host === '' || rest === '') {
    errors.invalid(field, value, 'must be a domain-prefixed path (such as "acme.io/foo")')
    return
  }
  errors.checkDnsSubdomain(host, field)
  if (!path.test(rest)) errors.invalid(field, rest, regexError('Invalid path', pathCharacters))
}

function checkScope({ scope, namespace }: IngressClassParametersReference, field: string, errors: Errors): void {
  const isNamed = namespace !== undefined && namespace !== null
  const at = `${field}.namespace`
  if (scope === undefined || scope === null) errors.required(`${field}.scope`)
  else if (!scopes.includes(scope)) errors.textNotSupported(`${field}.scope`, scope, scopes)
  else if (scope === 'Cluster') {
    if (isNamed) errors.forbidden(at, "`parameters.scope` is set to 'Cluster'")
  } else if (isNamed) errors.checkDnsLabel(namespace, at)
  else errors.required(at, "`parameters.scope` is set to 'Namespace'")
}

/** Validates a reference to an object of any kind: its group, kind and name. */
export function checkTypedReference(
  { apiGroup, kind, name }: { apiGroup?: string | null; kind: string; name: string },
  field: string,
  errors: Errors,
): void {
  if (apiGroup !== undefined && apiGroup !== null) errors.checkDnsSubdomain(apiGroup, `${field}.apiGroup`)
  for (const [part, value] of Object.entries({ kind, name })) {
    if (value === '') errors.required(`${field}.${part}`)
    else errors.checkMessages(isPathSegmentName(value), value, `${field}.${part}`)
  }
}

/** Validates an IngressClass, except its metadata. */
export const validateIngressClass = validator((errors, { spec: { controller = '', parameters } }: IngressClass) => {
  if (utf8Length(controller) > longestController) errors.tooLong('spec.controller', longestController)
  checkDomainPath(controller, 'spec.controller', errors)
  if (parameters === undefined) return
  checkTypedReference(parameters, 'spec.parameters', errors)
  checkScope(parameters, 'spec.parameters', errors)
})

/** Validates the differences between the old and the new IngressClass. */
export const validateIngressClassChange = validator((errors, ingressClass: IngressClass, old: IngressClass) => {
  errors.checkImmutable(ingressClass.spec.controller ?? '', old.spec.controller ?? '', 'spec.controller')
})

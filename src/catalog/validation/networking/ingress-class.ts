/** Checks of IngressClasses. Follows ValidateIngressClass of k8s.io/kubernetes/pkg/apis/networking/validation. */

import { utf8Length } from '../../../go/text.ts'
import { type FieldError, forbiddenValue, invalidValue, notSupported, required, tooLong } from '../../../meta/field-error.ts'
import { isPathSegmentName, regexError } from '../../../meta/names.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { checkDnsLabel, checkDnsSubdomain, checkImmutable, checkMessages, type Errors } from '../checks.ts'

interface Parameters {
  apiGroup?: string | null
  kind: string
  name: string
  scope?: string | null
  namespace?: string | null
}

interface IngressClass extends KubernetesObject {
  spec: { controller?: string; parameters?: Parameters }
}

const longestController = 250
const scopes = ['Cluster', 'Namespace']
const pathCharacters = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
const path = new RegExp(`^${pathCharacters}$`)

/** A path below a domain: `example.com/controller` (IsDomainPrefixedPath). */
function checkDomainPath(value: string, field: string, errors: Errors): void {
  if (value === '') {
    errors.push(required(field))
    return
  }
  const slash = value.indexOf('/')
  const [host, rest] = [value.slice(0, Math.max(0, slash)), value.slice(slash + 1)]
  if (host === '' || rest === '') {
    errors.push(invalidValue(field, value, 'must be a domain-prefixed path (such as "acme.io/foo")'))
    return
  }
  checkDnsSubdomain(host, field, errors)
  if (!path.test(rest)) errors.push(invalidValue(field, rest, regexError('Invalid path', pathCharacters)))
}

function checkScope({ scope, namespace }: Parameters, field: string, errors: Errors): void {
  const isNamed = namespace !== undefined && namespace !== null
  const at = `${field}.namespace`
  if (scope === undefined || scope === null) errors.push(required(`${field}.scope`))
  else if (!scopes.includes(scope)) errors.push(notSupported(`${field}.scope`, scope, scopes))
  else if (scope === 'Cluster') {
    if (isNamed) errors.push(forbiddenValue(at, "`parameters.scope` is set to 'Cluster'"))
  } else if (isNamed) checkDnsLabel(namespace, at, errors)
  else errors.push(required(at, "`parameters.scope` is set to 'Namespace'"))
}

/** A reference to an object of any kind: its group, kind and name. */
export function checkTypedReference(
  { apiGroup, kind, name }: Pick<Parameters, 'apiGroup' | 'kind' | 'name'>,
  field: string,
  errors: Errors,
): void {
  if (apiGroup !== undefined && apiGroup !== null) checkDnsSubdomain(apiGroup, `${field}.apiGroup`, errors)
  for (const [part, value] of Object.entries({ kind, name })) {
    if (value === '') errors.push(required(`${field}.${part}`))
    else checkMessages(isPathSegmentName(value), value, `${field}.${part}`, errors)
  }
}

/** What is wrong with an IngressClass, its metadata left out. */
export function validateIngressClass({ spec: { controller = '', parameters } }: IngressClass): FieldError[] {
  const errors: Errors = []
  if (utf8Length(controller) > longestController) errors.push(tooLong('spec.controller', longestController))
  checkDomainPath(controller, 'spec.controller', errors)
  if (parameters === undefined) return errors
  checkTypedReference(parameters, 'spec.parameters', errors)
  checkScope(parameters, 'spec.parameters', errors)
  return errors
}

/** What is wrong with how an IngressClass has changed. */
export function validateIngressClassChange(ingressClass: IngressClass, old: IngressClass): FieldError[] {
  const errors: Errors = []
  checkImmutable(ingressClass.spec.controller ?? '', old.spec.controller ?? '', 'spec.controller', errors)
  return errors
}

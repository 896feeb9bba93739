/** Checks of FlowSchemas. Follows k8s.io/kubernetes/pkg/apis/flowcontrol/validation. */
import type { FieldError } from '../../../meta/field-error.ts'
import { isDns1123Label, isDns1123Subdomain } from '../../../meta/names.ts'
import type * as flowcontrolv1 from '../../generated/types/flowcontrol.v1.ts'
import { internalJson } from '../../internal-json.ts'
import { Errors, isSame } from '../checks.ts'
import { validateFlowControlStatus } from './conditions.ts'
import { mandatoryFlowSchemas } from './mandatory.ts'

const lastPrecedence = 10000
const methods = ['ByNamespace', 'ByUser']
const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch']
const all = '*'

/** The field of each subject kind. The fields of the other kinds must not be set. */
const subjectFields = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' } as const
type SubjectKind = keyof typeof subjectFields
const kindsInOrder: readonly SubjectKind[] = ['ServiceAccount', 'User', 'Group']

const isSubjectKind = (kind: string): kind is SubjectKind => Object.hasOwn(subjectFields, kind)

function checkAccount({ name, namespace }: { name: string; namespace: string }, field: string, errors: Errors): void {
  if (name === '') errors.required(`${field}.name`)
  else if (name !== all) errors.checkMessages(isDns1123Subdomain(name), name, `${field}.name`)
  if (namespace === '') errors.required(`${field}.namespace`, 'must specify namespace for service account')
  else errors.checkMessages(isDns1123Label(namespace), namespace, `${field}.namespace`)
}

function checkSubject(subject: flowcontrolv1.Subject, field: string, errors: Errors): void {
  const { kind } = subject
  if (!isSubjectKind(kind)) {
    errors.notSupported(`${field}.kind`, kind, ['Group', 'ServiceAccount', 'User'])
    return
  }
  const name = subjectFields[kind]
  const at = `${field}.${name}`
  const value = subject[name]
  if (value === undefined) errors.required(at, `${name} is required when subject kind is '${kind}'`)
  else if (kind === 'ServiceAccount') checkAccount({ namespace: '', ...value }, at, errors)
  else if (value.name === '') errors.required(`${at}.name`)
  for (const other of kindsInOrder) {
    const stray = subjectFields[other]
    if (other === kind || subject[stray] === undefined) continue
    errors.forbidden(`${field}.${stray}`, `${stray} is forbidden when subject kind is not '${other}'`)
  }
}

function checkVerbs(given: readonly string[], field: string, errors: Errors): void {
  if (given.length === 0) errors.required(field, 'verbs must contain at least one value')
  else if (given.includes(all)) checkAlone(given, 'verbs', field, errors)
  else if (!given.every((verb) => verbs.includes(verb))) errors.notSupported(field, given, verbs)
}

/** Checks that `*` is the only entry of the list. */
function checkAlone(given: readonly string[], what: string, field: string, errors: Errors): void {
  if (given.length > 1 && given.includes(all)) errors.invalid(field, given, `if '*' is present, must not specify other ${what}`)
}

function pathError(path: string): string | undefined {
  if (path === '') return 'must not be empty'
  if (path === '/') return undefined
  if (!path.startsWith('/')) return 'must start with slash'
  if (path.includes(' ')) return 'must not contain white-space'
  if (path.includes('//')) return 'must not contain double slash'
  const isSuffix = path.indexOf(all) === path.length - 1 && path.endsWith('/*')
  return !path.includes(all) || isSuffix ? undefined : 'wildcard can only do suffix matching'
}

function checkNonResourceRule(rule: flowcontrolv1.NonResourcePolicyRule, field: string, errors: Errors): void {
  checkVerbs(rule.verbs ?? [], `${field}.verbs`, errors)
  const at = `${field}.nonResourceURLs`
  const paths = rule.nonResourceURLs ?? []
  if (paths.length === 0) errors.required(at, 'nonResourceURLs must contain at least one value')
  else if (paths.includes(all)) checkAlone(paths, 'non-resource URLs', at, errors)
  else {
    for (const [index, path] of paths.entries()) {
      const text = pathError(path)
      if (text !== undefined) errors.invalid(`${at}[${index}]`, path, text)
    }
  }
}

function checkNamespaces(
  { namespaces: given, clusterScope = false }: flowcontrolv1.ResourcePolicyRule,
  field: string,
  errors: Errors,
): void {
  const namespaces = given ?? []
  if (namespaces.length === 0 && !clusterScope) {
    errors.required(field, 'resource rules that are not cluster scoped must supply at least one namespace')
  } else if (namespaces.includes(all)) checkAlone(namespaces, 'namespaces', field, errors)
  else {
    for (const [index, namespace] of namespaces.entries()) {
      const messages = isDns1123Label(namespace).map(
        (text) => `each member of this list must be '*' or a DNS-1123 label; ${text}`,
      )
      errors.checkMessages(messages, namespace, `${field}[${index}]`)
    }
  }
}

function checkResourceRule(rule: flowcontrolv1.ResourcePolicyRule, field: string, errors: Errors): void {
  const apiGroups = rule.apiGroups ?? []
  const resources = rule.resources ?? []
  checkVerbs(rule.verbs ?? [], `${field}.verbs`, errors)
  if (apiGroups.length === 0) errors.required(`${field}.apiGroups`, 'resource rules must supply at least one api group')
  else checkAlone(apiGroups, 'api groups', `${field}.apiGroups`, errors)
  if (resources.length === 0) errors.required(`${field}.resources`, 'resource rules must supply at least one resource')
  else checkAlone(resources, 'resources', `${field}.resources`, errors)
  checkNamespaces(rule, `${field}.namespaces`, errors)
}

function checkRule(rule: flowcontrolv1.PolicyRulesWithSubjects, field: string, errors: Errors): void {
  const { resourceRules = [], nonResourceRules = [] } = rule
  const subjects = rule.subjects ?? []
  if (subjects.length === 0) errors.required(`${field}.subjects`, 'subjects must contain at least one value')
  for (const [index, subject] of subjects.entries()) checkSubject(subject, `${field}.subjects[${index}]`, errors)
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    errors.required(field, 'at least one of resourceRules and nonResourceRules has to be non-empty')
  }
  for (const [index, each] of resourceRules.entries()) checkResourceRule(each, `${field}.resourceRules[${index}]`, errors)
  for (const [index, each] of nonResourceRules.entries()) {
    checkNonResourceRule(each, `${field}.nonResourceRules[${index}]`, errors)
  }
}

function checkPrecedence(precedence: number, name: string, errors: Errors): void {
  const field = 'spec.matchingPrecedence'
  if (precedence <= 0) errors.invalid(field, precedence, 'must be a positive value')
  if (precedence > lastPrecedence) errors.invalid(field, precedence, `must not be greater than ${lastPrecedence}`)
  if (precedence === 1 && name !== 'exempt') {
    errors.invalid(field, precedence, "only the schema named 'exempt' may have matchingPrecedence 1")
  }
}

/** Validates a FlowSchema, except its metadata. */
export function validateFlowSchema(schema: flowcontrolv1.FlowSchema): FieldError[] {
  const errors = new Errors()
  const { spec } = schema
  const { name = '' } = schema.metadata
  checkPrecedence(spec.matchingPrecedence, name, errors)
  const { distinguisherMethod: method, priorityLevelConfiguration: level } = spec
  if (method !== undefined && !methods.includes(method.type)) {
    const reported = internalJson('flowcontrol.FlowDistinguisherMethod', method)
    errors.notSupported('spec.distinguisherMethod.type', reported, methods)
  }
  const at = 'spec.priorityLevelConfiguration.name'
  if (level.name === '') errors.required(at, 'must reference a priority level')
  else errors.checkDnsSubdomain(level.name, at)
  for (const [index, rule] of (spec.rules ?? []).entries()) checkRule(rule, `spec.rules[${index}]`, errors)
  const fixed = Object.hasOwn(mandatoryFlowSchemas, name) ? mandatoryFlowSchemas[name] : undefined
  if (fixed !== undefined) {
    const reported = internalJson('flowcontrol.FlowSchemaSpec', spec)
    if (!isSame(reported, internalJson('flowcontrol.FlowSchemaSpec', fixed))) {
      errors.invalid('spec', reported, `spec of '${name}' must equal the fixed value`)
    }
  }
  return [...errors, ...validateFlowControlStatus(schema)]
}

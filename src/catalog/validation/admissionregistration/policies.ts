/** Checks of admission policies. Follows k8s.io/kubernetes/pkg/apis/admissionregistration/validation. */
import { duplicate, enumValue, type FieldError, invalidValue, notSupported, required } from '../../../meta/field-error.ts'
import { trimSpace, utf8Length } from '../../../meta/go-text.ts'
import { isDns1035Label, isDns1123Subdomain } from '../../../meta/names.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { checkQualifiedName, type Errors, isSame } from '../checks.ts'
import { type Condition, checkConditions } from '../status/conditions.ts'
import { checkExpression, checkMatchConditions, type MatchCondition } from './expressions.ts'
import { checkMatchResources, checkMutable, type MatchResources } from './rules.ts'

interface Variable {
  name: string
  expression: string
}

interface PolicySpec {
  paramKind?: { apiVersion?: string; kind?: string }
  matchConstraints?: MatchResources
  failurePolicy?: string
  matchConditions?: MatchCondition[]
  variables?: Variable[]
}

interface Validation {
  expression: string
  message?: string
  messageExpression?: string
  reason?: string
}

interface AuditAnnotation {
  key: string
  valueExpression: string
}

interface ValidatingPolicy extends KubernetesObject {
  spec: PolicySpec & { validations?: Validation[]; auditAnnotations?: AuditAnnotation[] }
  status?: {
    typeChecking?: { expressionWarnings?: { fieldRef: string; warning: string }[] }
    conditions?: Condition[]
  }
}

interface Mutation {
  patchType: string
  applyConfiguration?: { expression?: string }
  jsonPatch?: { expression?: string }
}

interface MutatingPolicy extends KubernetesObject {
  spec: PolicySpec & { mutations?: Mutation[]; reinvocationPolicy?: string }
}

const failurePolicies = ['Fail', 'Ignore']
const reinvocationPolicies = ['IfNeeded', 'Never']
const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']
const patchTypes = ['ApplyConfiguration', 'JSONPatch']
const mostAnnotations = 20
const longestValueExpression = 5 * 1024
const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/
const reserved: ReadonlySet<string> = new Set([
  ...['true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let'],
  ...['loop', 'package', 'namespace', 'return', 'var', 'void', 'while'],
])

function checkApiVersion(apiVersion: string, field: string, errors: Errors): void {
  if (apiVersion === '') {
    errors.push(required(field))
    return
  }
  const parts = apiVersion === '/' ? [''] : apiVersion.split('/')
  if (parts.length > 2) {
    errors.push(invalidValue(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`))
    return
  }
  const version = parts.at(-1) ?? ''
  const group = parts.length === 2 ? (parts[0] ?? '') : ''
  const groupErrors = group === '' ? [] : isDns1123Subdomain(group)
  if (groupErrors.length > 0) errors.push(invalidValue(field, group, groupErrors.join(',')))
  const versionErrors = version === '' ? [] : isDns1035Label(version)
  if (version === '') errors.push(invalidValue(field, apiVersion, 'version must be specified'))
  else if (versionErrors.length > 0) errors.push(invalidValue(field, version, versionErrors.join(',')))
}

function checkParamKind({ apiVersion = '', kind = '' }: { apiVersion?: string; kind?: string }, errors: Errors): void {
  checkApiVersion(apiVersion, 'spec.paramKind.apiVersion', errors)
  const messages = isDns1035Label(kind.toLowerCase())
  if (kind === '') errors.push(required('spec.paramKind.kind'))
  else if (messages.length > 0) {
    const text = `may have mixed case, but should otherwise match: ${messages.join(',')}`
    errors.push(invalidValue('spec.paramKind.kind', kind, text))
  }
}

function checkVariable({ name, expression }: Variable, field: string, errors: Errors): void {
  if (trimSpace(name) === '') errors.push(required(`${field}.name`, 'name is not specified'))
  else if (!identifier.test(name) || reserved.has(name)) {
    errors.push(invalidValue(`${field}.name`, name, 'must be a valid CEL identifier'))
  }
  checkExpression(expression, `${field}.expression`, errors, 'expression is not specified')
}

/** What validating and mutating policies have in common. */
function checkPolicy(spec: PolicySpec, old: PolicySpec | undefined, isMutating: boolean, errors: Errors): void {
  const { failurePolicy, paramKind, matchConstraints, matchConditions = [] } = spec
  if (failurePolicy === undefined) errors.push(required('spec.failurePolicy'))
  else if (!failurePolicies.includes(failurePolicy)) {
    errors.push(notSupported('spec.failurePolicy', enumValue(failurePolicy), failurePolicies))
  }
  if (paramKind !== undefined) checkParamKind(paramKind, errors)
  const at = 'spec.matchConstraints'
  if (matchConstraints === undefined) errors.push(required(at))
  else {
    checkMatchResources(matchConstraints, at, errors)
    if ((matchConstraints.resourceRules ?? []).length === 0) errors.push(required(`${at}.resourceRules`))
    if (isMutating) checkMutable(matchConstraints, at, errors)
  }
  const unchanged = old !== undefined && isSame(old.paramKind, paramKind) && isSame(old.matchConditions, spec.matchConditions)
  if (!unchanged) checkMatchConditions(matchConditions, 'spec.matchConditions', errors)
  for (const [index, variable] of (spec.variables ?? []).entries()) checkVariable(variable, `spec.variables[${index}]`, errors)
}

function checkValidation(validation: Validation, field: string, errors: Errors): void {
  const { message = '', messageExpression = '', reason } = validation
  checkExpression(validation.expression, `${field}.expression`, errors, 'expression is not specified')
  const blank = 'must be non-empty if specified'
  if (messageExpression !== '' && trimSpace(messageExpression) === '') {
    errors.push(invalidValue(`${field}.messageExpression`, messageExpression, blank))
  }
  const trimmed = trimSpace(message)
  if (message !== '' && trimmed === '') errors.push(invalidValue(`${field}.message`, message, blank))
  else if (/[\n\r]/.test(trimmed)) errors.push(invalidValue(`${field}.message`, message, 'must not contain line breaks'))
  if (reason !== undefined && !reasons.includes(reason)) {
    errors.push(notSupported(`${field}.reason`, enumValue(reason), reasons))
  }
}

function checkAnnotation({ key, valueExpression }: AuditAnnotation, name: string, field: string, errors: Errors): void {
  if (name === '') errors.push(invalidValue(`${field}.key`, key, 'requires metadata.name be non-empty'))
  else checkQualifiedName(`${name}/${key}`, `${field}.key`, errors)
  const at = `${field}.valueExpression`
  if (utf8Length(trimSpace(valueExpression)) > longestValueExpression) {
    errors.push(required(at, `must not exceed ${longestValueExpression} bytes in length`))
  } else checkExpression(valueExpression, at, errors, 'valueExpression is not specified')
}

function checkAnnotations(annotations: readonly AuditAnnotation[], name: string, errors: Errors): void {
  const field = 'spec.auditAnnotations'
  if (annotations.length > mostAnnotations) {
    const shown = annotations.map(({ key, valueExpression }) => ({ Key: key, ValueExpression: valueExpression }))
    errors.push(invalidValue(field, shown, `must not have more than ${mostAnnotations} auditAnnotations`))
  }
  const seen = new Set<string>()
  for (const [index, annotation] of annotations.entries()) {
    checkAnnotation(annotation, name, `${field}[${index}]`, errors)
    if (seen.has(annotation.key)) errors.push(duplicate(`${field}[${index}].key`, annotation.key))
    seen.add(annotation.key)
  }
}

/** What is wrong with a ValidatingAdmissionPolicy, its metadata left out. */
export function validateValidatingPolicy({ metadata, spec }: ValidatingPolicy, old?: ValidatingPolicy): FieldError[] {
  const errors: Errors = []
  checkPolicy(spec, old?.spec, false, errors)
  const { validations = [], auditAnnotations = [] } = spec
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const text = 'validations or auditAnnotations must contain at least one item'
    errors.push(required('spec.validations', text), required('spec.auditAnnotations', text))
    return errors
  }
  for (const [index, validation] of validations.entries()) checkValidation(validation, `spec.validations[${index}]`, errors)
  checkAnnotations(auditAnnotations, metadata.name ?? '', errors)
  return errors
}

/** What is wrong with the status of a ValidatingAdmissionPolicy. */
export function validateValidatingPolicyStatus({ status = {} }: ValidatingPolicy): FieldError[] {
  const errors: Errors = []
  for (const [index, { fieldRef, warning }] of (status.typeChecking?.expressionWarnings ?? []).entries()) {
    const field = `status.typeChecking.expressionWarnings[${index}]`
    if (warning === '') errors.push(required(`${field}.warning`))
    if (trimSpace(fieldRef) === '') errors.push(required(`${field}.fieldRef`))
  }
  checkConditions(status.conditions ?? [], 'status.conditions', errors)
  return errors
}

/** Of each type of patch its own field is given, and not the other's. */
const patchFields = {
  ApplyConfiguration: { own: 'applyConfiguration', other: 'jsonPatch' },
  JSONPatch: { own: 'jsonPatch', other: 'applyConfiguration' },
} as const

const isPatchType = (type: string): type is keyof typeof patchFields => Object.hasOwn(patchFields, type)

function checkMutation(mutation: Mutation, field: string, errors: Errors): void {
  const { patchType: type } = mutation
  if (type === '') {
    errors.push(required(`${field}.patchType`))
    return
  }
  if (!isPatchType(type)) {
    errors.push(notSupported(`${field}.patchType`, enumValue(type), patchTypes))
    return
  }
  const { own, other } = patchFields[type]
  const patch = mutation[own]
  if (patch === undefined) errors.push(required(`${field}.${own}`, `must be specified when patchType is ${type}`))
  else checkExpression(patch.expression ?? '', `${field}.${own}.expression`, errors)
  if (mutation[other] !== undefined) {
    errors.push(invalidValue(`${field}.${other}`, `{${other}}`, `must not be specified when patchType is ${type}`))
  }
}

/** What is wrong with a MutatingAdmissionPolicy, its metadata left out. */
export function validateMutatingPolicy({ spec }: MutatingPolicy, old?: MutatingPolicy): FieldError[] {
  const errors: Errors = []
  checkPolicy(spec, old?.spec, true, errors)
  const { mutations = [], reinvocationPolicy: policy = '' } = spec
  if (mutations.length === 0) errors.push(required('spec.mutations', 'mutations must contain at least one item'))
  for (const [index, mutation] of mutations.entries()) checkMutation(mutation, `spec.mutations[${index}]`, errors)
  if (policy === '') errors.push(required('spec.reinvocationPolicy'))
  else if (!reinvocationPolicies.includes(policy)) {
    errors.push(notSupported('spec.reinvocationPolicy', enumValue(policy), reinvocationPolicies))
  }
  return errors
}

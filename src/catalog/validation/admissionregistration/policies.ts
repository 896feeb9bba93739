/** Checks of admission policies. Follows k8s.io/kubernetes/pkg/apis/admissionregistration/validation. */
import { AdmissionCompiler, type AdmissionPart } from '../../../cel/admission.ts'
import { BOOL, type CelType, listOf, NULL, objectType, STRING } from '../../../cel/types.ts'
import { trimSpace, utf8Length } from '../../../go/text.ts'
import { type FieldError, required } from '../../../meta/field-error.ts'
import { JsonPathError, parsePath } from '../../../meta/json-path.ts'
import { isDns1035Label, isDns1123Subdomain } from '../../../meta/names.ts'
import * as admissionregistrationv1 from '../../generated/types/admissionregistration.v1.ts'
import { Errors, isSame, itemsOf, validator } from '../checks.ts'
import { checkConditions } from '../status/conditions.ts'
import { checkExpression, checkMatchConditions, compileTo } from './expressions.ts'
import { checkMatchResources, checkMutable } from './rules.ts'

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']
const mostAnnotations = 20
const longestValueExpression = 5 * 1024
const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/
const reserved: ReadonlySet<string> = new Set([
  ...['true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let'],
  ...['loop', 'package', 'namespace', 'return', 'var', 'void', 'while'],
])

function checkApiVersion(apiVersion: string, field: string, errors: Errors): void {
  if (apiVersion === '') {
    errors.required(field)
    return
  }
  const parts = apiVersion === '/' ? [''] : apiVersion.split('/')
  if (parts.length > 2) {
    errors.invalid(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)
    return
  }
  const version = parts.at(-1) ?? ''
  const group = parts.length === 2 ? (parts[0] ?? '') : ''
  const groupErrors = group === '' ? [] : isDns1123Subdomain(group)
  if (groupErrors.length > 0) errors.invalid(field, group, groupErrors.join(','))
  const versionErrors = version === '' ? [] : isDns1035Label(version)
  if (version === '') errors.invalid(field, apiVersion, 'version must be specified')
  else if (versionErrors.length > 0) errors.invalid(field, version, versionErrors.join(','))
}

function checkParamKind({ apiVersion = '', kind = '' }: { apiVersion?: string; kind?: string }, errors: Errors): void {
  checkApiVersion(apiVersion, 'spec.paramKind.apiVersion', errors)
  const messages = isDns1035Label(kind.toLowerCase())
  if (kind === '') errors.required('spec.paramKind.kind')
  else if (messages.length > 0) {
    errors.invalid('spec.paramKind.kind', kind, `may have mixed case, but should otherwise match: ${messages.join(',')}`)
  }
}

/** The compiler and the common variables for the expressions of one policy. */
interface PolicyExpressions {
  readonly compiler: AdmissionCompiler
  /** The variables that every expression of the policy may use. */
  readonly parts: readonly AdmissionPart[]
}

const withAuthorizer = ({ parts }: PolicyExpressions): readonly AdmissionPart[] => [...parts, 'authorizer']

function checkVariable(
  { name, expression }: admissionregistrationv1.Variable,
  expressions: PolicyExpressions,
  field: string,
  errors: Errors,
): void {
  if (trimSpace(name) === '') errors.required(`${field}.name`, 'name is not specified')
  else if (!identifier.test(name) || reserved.has(name)) {
    errors.invalid(`${field}.name`, name, 'must be a valid CEL identifier')
  }
  const compile = (text: string) => expressions.compiler.compileVariable(name, text, withAuthorizer(expressions))
  checkExpression({ text: expression, field: `${field}.expression`, missing: 'expression is not specified' }, compile, errors)
}

/** Validates the fields that validating and mutating policies share. Returns the compiler for their other expressions. */
function checkPolicy(
  spec: admissionregistrationv1.ValidatingAdmissionPolicySpec,
  old: admissionregistrationv1.ValidatingAdmissionPolicySpec | undefined,
  isMutating: boolean,
  errors: Errors,
): PolicyExpressions {
  const { failurePolicy, paramKind, matchConstraints, matchConditions = [] } = spec
  if (failurePolicy === undefined) errors.required('spec.failurePolicy')
  else errors.checkEnum(failurePolicy, admissionregistrationv1.FailurePolicyType, 'spec.failurePolicy')
  if (paramKind !== undefined) checkParamKind(paramKind, errors)
  const at = 'spec.matchConstraints'
  if (matchConstraints === undefined) errors.required(at)
  else {
    checkMatchResources(matchConstraints, at, errors)
    if ((matchConstraints.resourceRules ?? []).length === 0) errors.required(`${at}.resourceRules`)
    if (isMutating) checkMutable(matchConstraints, at, errors)
  }
  const unchanged = old !== undefined && isSame(old.paramKind, paramKind) && isSame(old.matchConditions, spec.matchConditions)
  const parameters = paramKind === undefined ? 'none' : 'params'
  if (!unchanged) checkMatchConditions(matchConditions, parameters, 'spec.matchConditions', errors)
  const variables = spec.variables ?? []
  const compiler = new AdmissionCompiler(isMutating || variables.length > 0 ? 'composed' : 'none')
  const expressions: PolicyExpressions = { compiler, parts: paramKind === undefined ? [] : ['params'] }
  for (const [index, variable] of variables.entries()) checkVariable(variable, expressions, `spec.variables[${index}]`, errors)
  return expressions
}

function checkValidation(
  validation: admissionregistrationv1.Validation,
  expressions: PolicyExpressions,
  field: string,
  errors: Errors,
): void {
  const { expression, message = '', messageExpression = '', reason } = validation
  const { compiler, parts } = expressions
  const written = { text: expression, field: `${field}.expression`, missing: 'expression is not specified' }
  checkExpression(written, compileTo(compiler, withAuthorizer(expressions), BOOL), errors)
  const blank = 'must be non-empty if specified'
  const at = `${field}.messageExpression`
  if (messageExpression !== '' && trimSpace(messageExpression) === '') errors.invalid(at, messageExpression, blank)
  else if (messageExpression !== '') {
    checkExpression({ text: messageExpression, field: at }, compileTo(compiler, parts, STRING), errors)
  }
  const trimmed = trimSpace(message)
  if (message !== '' && trimmed === '') errors.invalid(`${field}.message`, message, blank)
  else if (/[\n\r]/.test(trimmed)) errors.invalid(`${field}.message`, message, 'must not contain line breaks')
  errors.checkEnum(reason, reasons, `${field}.reason`)
}

function checkAnnotation(
  { key, valueExpression }: admissionregistrationv1.AuditAnnotation,
  expressions: PolicyExpressions,
  name: string,
  field: string,
  errors: Errors,
): void {
  if (name === '') errors.invalid(`${field}.key`, key, 'requires metadata.name be non-empty')
  else errors.checkQualifiedName(`${name}/${key}`, `${field}.key`)
  const at = `${field}.valueExpression`
  const text = trimSpace(valueExpression)
  if (utf8Length(text) > longestValueExpression) {
    errors.required(at, `must not exceed ${longestValueExpression} bytes in length`)
    return
  }
  const written = { text, field: at, missing: 'valueExpression is not specified', reported: valueExpression }
  checkExpression(written, compileTo(expressions.compiler, withAuthorizer(expressions), STRING, NULL), errors)
}

function checkAnnotations(
  annotations: readonly admissionregistrationv1.AuditAnnotation[],
  expressions: PolicyExpressions,
  name: string,
  errors: Errors,
): void {
  const field = 'spec.auditAnnotations'
  if (annotations.length > mostAnnotations) {
    const reported = annotations.map(({ key, valueExpression }) => ({ Key: key, ValueExpression: valueExpression }))
    errors.invalid(field, reported, `must not have more than ${mostAnnotations} auditAnnotations`)
  }
  const seen = new Set<string>()
  for (const [index, annotation] of annotations.entries()) {
    checkAnnotation(annotation, expressions, name, `${field}[${index}]`, errors)
    errors.checkUnique(seen, annotation.key, `${field}[${index}].key`)
  }
}

/** Validates a ValidatingAdmissionPolicy, except its metadata. */
export function validateValidatingPolicy(
  { metadata, spec }: admissionregistrationv1.ValidatingAdmissionPolicy,
  old?: admissionregistrationv1.ValidatingAdmissionPolicy,
): FieldError[] {
  const errors = new Errors()
  const expressions = checkPolicy(spec, old?.spec, false, errors)
  const { validations = [], auditAnnotations = [] } = spec
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const text = 'validations or auditAnnotations must contain at least one item'
    errors.push(required('spec.validations', text), required('spec.auditAnnotations', text))
    return errors
  }
  for (const [index, validation] of validations.entries()) {
    checkValidation(validation, expressions, `spec.validations[${index}]`, errors)
  }
  checkAnnotations(auditAnnotations, expressions, metadata.name ?? '', errors)
  return errors
}

function checkFieldRef(path: string, field: string, errors: Errors): void {
  if (path === '') {
    errors.required(field)
    return
  }
  try {
    parsePath(path)
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error
    errors.invalid(field, path, `invalid JSONPath: ${error.message}`)
  }
}

/** Validates the status of a ValidatingAdmissionPolicy. */
export const validateValidatingPolicyStatus = validator(
  (errors, { status = {} }: admissionregistrationv1.ValidatingAdmissionPolicy) => {
    for (const [field, { fieldRef, warning }] of itemsOf(
      status.typeChecking?.expressionWarnings,
      'status.typeChecking.expressionWarnings',
    )) {
      if (warning === '') errors.required(`${field}.warning`)
      checkFieldRef(trimSpace(fieldRef), `${field}.fieldRef`, errors)
    }
    checkConditions(status.conditions ?? [], 'status.conditions', errors)
  },
)

/** For each patch type: the field that must be set, and the field that must not be set. */
const patchFields = {
  ApplyConfiguration: { own: 'applyConfiguration', other: 'jsonPatch', gives: objectType('Object') },
  JSONPatch: { own: 'jsonPatch', other: 'applyConfiguration', gives: listOf(objectType('JSONPatch')) },
} as const satisfies Record<string, { own: string; other: string; gives: CelType }>

const isPatchType = (type: string): type is keyof typeof patchFields => Object.hasOwn(patchFields, type)

function checkMutation(
  mutation: admissionregistrationv1.Mutation,
  expressions: PolicyExpressions,
  field: string,
  errors: Errors,
): void {
  const { patchType: type } = mutation
  if (type === '') {
    errors.required(`${field}.patchType`)
    return
  }
  if (!isPatchType(type)) {
    errors.notSupported(`${field}.patchType`, type, admissionregistrationv1.PatchType)
    return
  }
  const { own, other, gives } = patchFields[type]
  const patch = mutation[own]
  if (patch === undefined) errors.required(`${field}.${own}`, `must be specified when patchType is ${type}`)
  else {
    const written = { text: trimSpace(patch.expression ?? ''), field: `${field}.${own}.expression` }
    checkExpression(written, compileTo(expressions.compiler, [...withAuthorizer(expressions), 'patches'], gives), errors)
  }
  if (mutation[other] !== undefined) {
    errors.invalid(`${field}.${other}`, `{${other}}`, `must not be specified when patchType is ${type}`)
  }
}

/** Validates a MutatingAdmissionPolicy, except its metadata. */
export const validateMutatingPolicy = validator(
  (errors, { spec }: admissionregistrationv1.MutatingAdmissionPolicy, old?: admissionregistrationv1.MutatingAdmissionPolicy) => {
    const expressions = checkPolicy(spec, old?.spec, true, errors)
    const { mutations = [], reinvocationPolicy: policy = '' } = spec
    if (mutations.length === 0) errors.required('spec.mutations', 'mutations must contain at least one item')
    for (const [index, mutation] of mutations.entries()) checkMutation(mutation, expressions, `spec.mutations[${index}]`, errors)
    if (policy === '') errors.required('spec.reinvocationPolicy')
    else errors.checkEnum(policy, admissionregistrationv1.ReinvocationPolicyType, 'spec.reinvocationPolicy')
  },
)

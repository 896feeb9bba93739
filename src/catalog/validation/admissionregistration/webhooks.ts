/** Checks of webhook configurations. Follows k8s.io/kubernetes/pkg/apis/admissionregistration/validation. */
import type { FieldError } from '../../../meta/field-error.ts'
import { type LabelSelectorValues, validateLabelSelector } from '../../../meta/label-selector-object.ts'
import { isDns1035Label, isDns1123Subdomain } from '../../../meta/names.ts'
import * as admissionregistrationv1 from '../../generated/types/admissionregistration.v1.ts'
import type { KindFacts } from '../../kind.ts'
import { Errors, isSame, itemsOf } from '../checks.ts'
import { checkClientConfig } from './client-config.ts'
import { checkMatchConditions } from './expressions.ts'
import { checkMatchPolicy, checkRule } from './rules.ts'

/** Options of the validation. An update is checked less strictly if the old object violates the same rule. */
interface ValidationOptions {
  readonly sideEffects: readonly string[]
  readonly knownVersion: boolean
  readonly uniqueNames: boolean
  readonly selectorValues: LabelSelectorValues
  readonly conditions: boolean
}

const harmless = ['None', 'NoneOnDryRun']
const sideEffects = [...harmless, 'Some', 'Unknown']
const reviewVersions = ['v1', 'v1beta1']
const longestTimeout = 30

const createOptions: ValidationOptions = {
  sideEffects: harmless,
  knownVersion: true,
  uniqueNames: true,
  selectorValues: 'checked',
  conditions: true,
}

/** Validates the name of a webhook: a domain of at least three segments (IsFullyQualifiedName). */
function checkName(name: string, field: string, errors: Errors): void {
  if (name === '') {
    errors.required(field)
    return
  }
  const messages = isDns1123Subdomain(name)
  if (messages.length > 0) errors.invalid(field, name, messages.join(','))
  else if (name.split('.').length < 3) {
    errors.invalid(field, name, 'should be a domain with at least three segments separated by dots')
  }
}

function checkSideEffects(value: string | null | undefined, allowed: readonly string[], field: string, errors: Errors): void {
  if (value === undefined || value === null) errors.required(field, `must specify one of ${allowed.join(', ')}`)
  else errors.checkEnum(value, allowed, field)
}

function checkWebhook(
  webhook: admissionregistrationv1.MutatingWebhook,
  options: ValidationOptions,
  field: string,
  errors: Errors,
): void {
  checkName(webhook.name, `${field}.name`, errors)
  for (const [index, rule] of (webhook.rules ?? []).entries()) checkRule(rule, `${field}.rules[${index}]`, errors)
  errors.checkEnum(webhook.failurePolicy, admissionregistrationv1.FailurePolicyType, `${field}.failurePolicy`)
  checkMatchPolicy(webhook.matchPolicy, `${field}.matchPolicy`, errors)
  checkSideEffects(webhook.sideEffects, options.sideEffects, `${field}.sideEffects`, errors)
  const { timeoutSeconds: timeout } = webhook
  if (timeout !== undefined && (timeout < 1 || timeout > longestTimeout)) {
    errors.invalid(`${field}.timeoutSeconds`, timeout, `the timeout value must be between 1 and ${longestTimeout} seconds`)
  }
  for (const name of ['namespaceSelector', 'objectSelector'] as const) {
    errors.push(...validateLabelSelector(webhook[name], `${field}.${name}`, options.selectorValues))
  }
  errors.checkEnum(webhook.reinvocationPolicy, admissionregistrationv1.ReinvocationPolicyType, `${field}.reinvocationPolicy`)
  checkClientConfig(webhook.clientConfig, `${field}.clientConfig`, errors)
  if (options.conditions) checkMatchConditions(webhook.matchConditions ?? [], 'none', `${field}.matchConditions`, errors)
}

function checkReviewVersions(versions: readonly string[], options: ValidationOptions, field: string, errors: Errors): void {
  if (versions.length === 0) {
    errors.required(field, `must specify one of ${reviewVersions.join(', ')}`)
    return
  }
  const seen = new Set<string>()
  for (const [at, version] of itemsOf(versions, field)) {
    if (seen.has(version)) errors.invalid(at, version, 'duplicate version')
    else errors.checkMessages(isDns1035Label(version), version, at)
    seen.add(version)
  }
  if (options.knownVersion && !reviewVersions.some((version) => seen.has(version))) {
    errors.invalid(field, versions, `must include at least one of ${reviewVersions.join(', ')}`)
  }
}

function checkWebhooks(webhooks: readonly admissionregistrationv1.MutatingWebhook[], options: ValidationOptions): FieldError[] {
  const errors = new Errors()
  const seen = new Set<string>()
  for (const [field, webhook] of itemsOf(webhooks, 'webhooks')) {
    const { name } = webhook
    checkWebhook(webhook, options, field, errors)
    checkReviewVersions(webhook.admissionReviewVersions ?? [], options, `${field}.admissionReviewVersions`, errors)
    if (options.uniqueNames && name !== '' && seen.has(name)) errors.duplicate(`${field}.name`, name)
    seen.add(name)
  }
  return errors
}

const hasBadSelector = ({ namespaceSelector, objectSelector }: admissionregistrationv1.MutatingWebhook): boolean =>
  validateLabelSelector(namespaceSelector, '').length + validateLabelSelector(objectSelector, '').length > 0

const hasKnownVersion = ({ admissionReviewVersions: versions }: admissionregistrationv1.MutatingWebhook): boolean =>
  versions === null || versions.length === 0 || versions.some((version) => reviewVersions.includes(version))

/** v1beta1 allows all side effects, and several webhooks of one name. */
function inVersion({ version }: KindFacts, options: ValidationOptions): ValidationOptions {
  return version === 'v1beta1' ? { ...options, sideEffects, uniqueNames: false } : options
}

function updateOptions(
  old: readonly admissionregistrationv1.MutatingWebhook[],
  webhooks: readonly admissionregistrationv1.MutatingWebhook[],
): ValidationOptions {
  const sameConditions =
    old.length === webhooks.length &&
    old.every((before, index) => isSame(before.matchConditions, webhooks[index]?.matchConditions))
  return {
    sideEffects: old.every((webhook) => harmless.includes(webhook.sideEffects ?? '')) ? harmless : sideEffects,
    knownVersion: old.every(hasKnownVersion),
    uniqueNames: new Set(old.map(({ name }) => name)).size === old.length,
    selectorValues: old.some(hasBadSelector) ? 'unchecked' : 'checked',
    conditions: !sameConditions,
  }
}

/** Validates a configuration of validating or mutating webhooks, except its metadata. */
export function validateWebhooks(
  { webhooks = [] }: admissionregistrationv1.MutatingWebhookConfiguration,
  kind: KindFacts,
): FieldError[] {
  return checkWebhooks(webhooks, inVersion(kind, createOptions))
}

/** Validates an update of a configuration of validating or mutating webhooks. */
export function validateWebhooksUpdate(
  { webhooks = [] }: admissionregistrationv1.MutatingWebhookConfiguration,
  old: admissionregistrationv1.MutatingWebhookConfiguration,
  kind: KindFacts,
): FieldError[] {
  return checkWebhooks(webhooks, inVersion(kind, updateOptions(old.webhooks ?? [], webhooks)))
}

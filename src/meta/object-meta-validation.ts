/**
 * Validates the metadata of objects. Follows k8s.io/apimachinery/pkg/api/validation/objectmeta.go and
 * pkg/apis/meta/v1/validation. Errors are in upstream's order; if Go ranges over a map, in the order of the object's own members.
 */

import { compareText, goQuote, unprintableCharacters, utf8Length } from '../go/text.ts'
import { sameTime } from '../go/time.ts'
import { asJson, errorsOf, type FieldError, forbiddenValue, invalidValue, required, tooLong } from './field-error.ts'
import { isLabelValue, isQualifiedName, nameIsDnsLabel, type ValidateName } from './names.ts'
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from './object-meta.ts'

/** The rules of a kind for its metadata. */
export interface ObjectMetaRules {
  readonly namespaced: boolean
  readonly validateName: ValidateName
  /** A few kinds check only the generated name (ValidateObjectMetaWithOpts). */
  readonly generateName?: 'checked' | 'unchecked'
}

const MAX_ANNOTATIONS_SIZE = 256 * 1024
/** The most bytes in the name of a field manager. */
export const MAX_FIELD_MANAGER_LENGTH = 128
const MAX_SUBRESOURCE_LENGTH = 256

const MAX_CONTROLLER_ERRORS = 8

const ORPHAN = 'orphan'
const FOREGROUND = 'foregroundDeletion'
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', ORPHAN, FOREGROUND])

/** Validates a label key at `field`. */
export function validateLabelKey(key: string, field: string): FieldError[] {
  return isQualifiedName(key).map((text) => invalidValue(field, key, text))
}

/** Validates labels: the keys are qualified names, the values label values. */
export function validateLabels(labels: Readonly<Record<string, string>>, field: string): FieldError[] {
  return errorsOf(Object.entries(labels), ([key, value]) => [
    ...validateLabelKey(key, field),
    ...isLabelValue(value).map((text) => invalidValue(field, value, text)),
  ])
}

/** Whether annotations exceed their total size. Their bytes are counted only if the number of characters does not decide. */
export function areTooLong(annotations: Readonly<Record<string, string>>): boolean {
  const entries = Object.entries(annotations)
  const characters = entries.reduce((sum, [key, value]) => sum + key.length + value.length, 0)
  if (characters * 3 <= MAX_ANNOTATIONS_SIZE) return false
  return entries.reduce((sum, [key, value]) => sum + utf8Length(key) + utf8Length(value), 0) > MAX_ANNOTATIONS_SIZE
}

/** Validates annotations: in lower case, the keys are qualified names; the total size is bounded. */
export function validateAnnotations(annotations: Readonly<Record<string, string>>, field: string): FieldError[] {
  const entries = Object.entries(annotations)
  const errors = errorsOf(entries, ([key]) => isQualifiedName(key.toLowerCase()).map((text) => invalidValue(field, key, text)))
  return areTooLong(annotations) ? [...errors, tooLong(field, MAX_ANNOTATIONS_SIZE)] : errors
}

/** Returns an owner reference as error texts show it: in Go's field order, without zero values of optional fields. */
function referenceForMessage(reference: OwnerReference): OwnerReference {
  const { apiVersion = '', kind = '', name = '', uid = '', controller, blockOwnerDeletion } = reference
  return {
    apiVersion,
    kind,
    name,
    uid,
    ...(controller !== undefined && { controller }),
    ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
  }
}

function validateOwnerReference(reference: OwnerReference, field: string): FieldError[] {
  const { apiVersion = '', kind = '', name = '', uid = '' } = reference
  const errors: FieldError[] = []
  const parts = apiVersion.split('/', 3)
  const version = parts.length < 3 ? (parts.at(-1) ?? '') : ''
  if (version === '') errors.push(invalidValue(`${field}.apiVersion`, apiVersion, 'version must not be empty'))
  if (kind === '') errors.push(invalidValue(`${field}.kind`, kind, 'must not be empty'))
  if (name === '') errors.push(invalidValue(`${field}.name`, name, 'must not be empty'))
  if (uid === '') errors.push(invalidValue(`${field}.uid`, uid, 'must not be empty'))
  const group = parts.length === 2 ? parts[0] : ''
  if (group === '' && version === 'v1' && kind === 'Event') {
    errors.push(invalidValue(field, referenceForMessage(reference), '/v1, Kind=Event is disallowed from being an owner'))
  }
  return errors
}

/** Validates owner references: all required fields, and at most one controller. */
export function validateOwnerReferences(references: readonly OwnerReference[], field: string): FieldError[] {
  let controller = ''
  let controllerErrors = 0
  return errorsOf(references, (reference) => {
    const errors = validateOwnerReference(reference, field)
    if (reference.controller !== true) return errors
    const name = `${reference.kind}/${reference.name}`
    if (controller === '') {
      controller = name
      return errors
    }
    if (controllerErrors++ >= MAX_CONTROLLER_ERRORS) return errors
    const text = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`
    return [...errors, invalidValue(field, references.map(referenceForMessage), text)]
  })
}

/** Validates finalizers: qualified names, and not both `orphan` and `foregroundDeletion`. */
export function validateFinalizers(finalizers: readonly string[], field: string): FieldError[] {
  const errors = errorsOf(finalizers, (finalizer) =>
    isQualifiedName(finalizer).map((text) => invalidValue(field, finalizer, text)),
  )
  if (!finalizers.includes(ORPHAN) || !finalizers.includes(FOREGROUND)) return errors
  return [...errors, invalidValue(field, finalizers, `finalizer ${ORPHAN} and ${FOREGROUND} cannot be both set`)]
}

/**
 * Validates the finalizers of built-in kinds, not of custom resources: without a `/`, only Kubernetes' own finalizers are valid.
 */
export function validateStandardFinalizers(finalizers: readonly string[], field: string): FieldError[] {
  return errorsOf(finalizers, (finalizer, index) => {
    if (finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer)) return []
    return [invalidValue(`${field}[${index}]`, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')]
  })
}

/** Validates the name of a field manager: at most 128 bytes, all characters printable. '' means unset. */
export function validateFieldManager(manager: string, field: string): FieldError[] {
  const errors = utf8Length(manager) > MAX_FIELD_MANAGER_LENGTH ? [tooLong(field, MAX_FIELD_MANAGER_LENGTH)] : []
  // Each error repeats the name, so a name that is too long gets only one of them.
  const characters = unprintableCharacters(manager, errors.length > 0 ? 1 : MAX_FIELD_MANAGER_LENGTH)
  return [
    ...errors,
    ...characters.map(({ formatted: shown, at }) =>
      invalidValue(field, manager, `invalid character ${shown} (at position ${at})`),
    ),
  ]
}

function validateManagedFieldsEntry(entry: ManagedFieldsEntry, field: string): FieldError[] {
  const { operation = '', fieldsType = '', manager = '', subresource = '' } = entry
  const errors: FieldError[] = []
  if (operation !== 'Apply' && operation !== 'Update') {
    errors.push(invalidValue(`${field}.operation`, asJson(operation), 'must be `Apply` or `Update`'))
  }
  if (fieldsType !== '' && fieldsType !== 'FieldsV1')
    errors.push(invalidValue(`${field}.fieldsType`, fieldsType, 'must be `FieldsV1`'))
  errors.push(...validateFieldManager(manager, `${field}.manager`))
  if (utf8Length(subresource) > MAX_SUBRESOURCE_LENGTH) errors.push(tooLong(`${field}.subresource`, MAX_SUBRESOURCE_LENGTH))
  return errors
}

/** Validates the entries of `managedFields`, except their field sets. */
export function validateManagedFields(entries: readonly ManagedFieldsEntry[], field: string): FieldError[] {
  return errorsOf(entries, (entry, index) => validateManagedFieldsEntry(entry, `${field}[${index}]`))
}

function validateNames(meta: ObjectMeta, rules: ObjectMetaRules, field: string): FieldError[] {
  const { name = '', generateName = '' } = meta
  const errors: FieldError[] = []
  if (generateName !== '' && rules.generateName !== 'unchecked') {
    const texts = rules.validateName(generateName, true)
    errors.push(...texts.map((text) => invalidValue(`${field}.generateName`, generateName, text)))
  }
  if (name === '') return [...errors, required(`${field}.name`, 'name or generateName is required')]
  return [...errors, ...rules.validateName(name, false).map((text) => invalidValue(`${field}.name`, name, text))]
}

function validateNamespace(namespace: string, namespaced: boolean, field: string): FieldError[] {
  if (!namespaced) return namespace === '' ? [] : [forbiddenValue(field, 'not allowed on this type')]
  if (namespace === '') return [required(field)]
  return nameIsDnsLabel(namespace, false).map((text) => invalidValue(field, namespace, text))
}

/**
 * Validates the metadata of an object whose name has been generated. Follows ValidateObjectMeta. Built-in kinds also call
 * `validateStandardFinalizers`.
 * @returns the errors, in upstream's order
 */
export function validateObjectMeta(meta: ObjectMeta, rules: ObjectMetaRules, field = 'metadata'): FieldError[] {
  const { generation = 0 } = meta
  const text = 'must be greater than or equal to 0'
  return [
    ...validateNames(meta, rules, field),
    ...validateNamespace(meta.namespace ?? '', rules.namespaced, `${field}.namespace`),
    ...(generation < 0 ? [invalidValue(`${field}.generation`, generation, text)] : []),
    ...validateLabels(meta.labels ?? {}, `${field}.labels`),
    ...validateAnnotations(meta.annotations ?? {}, `${field}.annotations`),
    ...validateOwnerReferences(meta.ownerReferences ?? [], `${field}.ownerReferences`),
    ...validateFinalizers(meta.finalizers ?? [], `${field}.finalizers`),
    ...validateManagedFields(meta.managedFields ?? [], `${field}.managedFields`),
  ]
}

const IMMUTABLE_TEXTS = ['name', 'namespace', 'uid'] as const
const IMMUTABLE_TIMES = ['creationTimestamp', 'deletionTimestamp'] as const

function validateImmutable(meta: ObjectMeta, old: ObjectMeta, field: string): FieldError[] {
  const immutable = (key: string, value: unknown): FieldError => invalidValue(`${field}.${key}`, value, 'field is immutable')
  const grace = meta.deletionGracePeriodSeconds
  return [
    ...IMMUTABLE_TEXTS.filter((key) => (meta[key] ?? '') !== (old[key] ?? '')).map((key) => immutable(key, meta[key] ?? '')),
    ...IMMUTABLE_TIMES.filter((key) => !sameTime(meta[key], old[key])).map((key) => immutable(key, meta[key])),
    ...(grace === old.deletionGracePeriodSeconds ? [] : [immutable('deletionGracePeriodSeconds', grace)]),
  ]
}

function validateNoNewFinalizers(meta: ObjectMeta, old: ObjectMeta, field: string): FieldError[] {
  if (old.deletionTimestamp === undefined) return []
  const before = new Set(old.finalizers ?? [])
  const added = [...new Set(meta.finalizers ?? [])].filter((finalizer) => !before.has(finalizer)).sort(compareText)
  if (added.length === 0) return []
  const list = `[]string{${added.map(goQuote).join(', ')}}`
  return [forbiddenValue(field, `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`)]
}

/**
 * Validates a change of metadata. Follows ValidateObjectMetaUpdate. For an update, kube-apiserver reports the errors of
 * validateObjectMetaUpdate and validateObjectMeta (with `nameIsPathSegment`) first, then those of the kind's own validation,
 * which for most kinds calls both again: the causes of a Status contain a label error four times.
 */
export function validateObjectMetaUpdate(meta: ObjectMeta, old: ObjectMeta, field = 'metadata'): FieldError[] {
  const { resourceVersion = '', generation = 0 } = meta
  const unversioned = resourceVersion === ''
  return [
    ...validateNoNewFinalizers(meta, old, `${field}.finalizers`),
    ...(unversioned ? [invalidValue(`${field}.resourceVersion`, resourceVersion, 'must be specified for an update')] : []),
    ...(generation < (old.generation ?? 0) ? [invalidValue(`${field}.generation`, generation, 'must not be decremented')] : []),
    ...validateImmutable(meta, old, field),
    ...validateLabels(meta.labels ?? {}, `${field}.labels`),
    ...validateAnnotations(meta.annotations ?? {}, `${field}.annotations`),
    ...validateOwnerReferences(meta.ownerReferences ?? [], `${field}.ownerReferences`),
    ...validateManagedFields(meta.managedFields ?? [], `${field}.managedFields`),
  ]
}

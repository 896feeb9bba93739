/**
 * What is wrong with the metadata of an object: k8s.io/apimachinery/pkg/api/validation/objectmeta.go and
 * pkg/apis/meta/v1/validation. The order of the errors is upstream's; where Go ranges over a map, it is the object's own.
 */

import { compareText, goQuote, unprintableCharacters, utf8Length } from '../go/text.ts'
import { sameTime } from '../go/time.ts'
import { enumValue, type FieldError, forbiddenValue, invalidValue, required, tooLong } from './field-error.ts'
import { isLabelValue, isQualifiedName, nameIsDnsLabel, type ValidateName } from './names.ts'
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from './object-meta.ts'

/** How the metadata of a kind is validated. */
export interface ObjectMetaRules {
  readonly namespaced: boolean
  readonly validateName: ValidateName
  /** Few kinds check the generated name only (ValidateObjectMetaWithOpts). */
  readonly generateName?: 'checked' | 'unchecked'
}

const MAX_ANNOTATIONS_SIZE = 256 * 1024
/** How many bytes the name of a field manager may have. */
export const MAX_FIELD_MANAGER_LENGTH = 128
const MAX_SUBRESOURCE_LENGTH = 256

/** A hostile object may break a rule a million times. kube-apiserver tells of all of them, here the answer is bounded. */
const MAX_ERRORS = 1000
const MAX_CONTROLLER_ERRORS = 8

const ORPHAN = 'orphan'
const FOREGROUND = 'foregroundDeletion'
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', ORPHAN, FOREGROUND])

/** The errors of the items, in their order, until there are too many. */
function errorsOf<T>(items: Iterable<T>, check: (item: T, index: number) => readonly FieldError[]): FieldError[] {
  const errors: FieldError[] = []
  let index = 0
  for (const item of items) {
    if (errors.length >= MAX_ERRORS) break
    errors.push(...check(item, index++))
  }
  return errors
}

/** The key of a label at `field`. */
export function validateLabelKey(key: string, field: string): FieldError[] {
  return isQualifiedName(key).map((text) => invalidValue(field, key, text))
}

/** Labels: the keys are qualified names, the values label values. */
export function validateLabels(labels: Readonly<Record<string, string>>, field: string): FieldError[] {
  return errorsOf(Object.entries(labels), ([key, value]) => [
    ...validateLabelKey(key, field),
    ...isLabelValue(value).map((text) => invalidValue(field, value, text)),
  ])
}

/** Annotations: the keys are qualified names but for their case, the whole is bounded. */
export function validateAnnotations(annotations: Readonly<Record<string, string>>, field: string): FieldError[] {
  const entries = Object.entries(annotations)
  const errors = errorsOf(entries, ([key]) => isQualifiedName(key.toLowerCase()).map((text) => invalidValue(field, key, text)))
  const size = entries.reduce((sum, [key, value]) => sum + utf8Length(key) + utf8Length(value), 0)
  return size > MAX_ANNOTATIONS_SIZE ? [...errors, tooLong(field, MAX_ANNOTATIONS_SIZE)] : errors
}

/** An owner reference as messages show it: Go's field order, zero values of the optional fields left out. */
function shownReference(reference: OwnerReference): OwnerReference {
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
    errors.push(invalidValue(field, shownReference(reference), '/v1, Kind=Event is disallowed from being an owner'))
  }
  return errors
}

/** Owner references: complete, and at most one controller. */
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
    return [...errors, invalidValue(field, references.map(shownReference), text)]
  })
}

/** Finalizers: qualified names, and not both of the two that contradict each other. */
export function validateFinalizers(finalizers: readonly string[], field: string): FieldError[] {
  const errors = errorsOf(finalizers, (finalizer) =>
    isQualifiedName(finalizer).map((text) => invalidValue(field, finalizer, text)),
  )
  if (!finalizers.includes(ORPHAN) || !finalizers.includes(FOREGROUND)) return errors
  return [...errors, invalidValue(field, finalizers, `finalizer ${ORPHAN} and ${FOREGROUND} cannot be both set`)]
}

/** The further rule of built-in kinds, not of custom resources: a finalizer without a `/` is one of Kubernetes' own. */
export function validateStandardFinalizers(finalizers: readonly string[], field: string): FieldError[] {
  return errorsOf(finalizers, (finalizer, index) => {
    if (finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer)) return []
    return [invalidValue(`${field}[${index}]`, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')]
  })
}

/** The name of a field manager: at most 128 bytes, all of them printable. '' is none. */
export function validateFieldManager(manager: string, field: string): FieldError[] {
  const errors = utf8Length(manager) > MAX_FIELD_MANAGER_LENGTH ? [tooLong(field, MAX_FIELD_MANAGER_LENGTH)] : []
  // Each error repeats the text: of a long one, a single character must do.
  const characters = unprintableCharacters(manager, errors.length > 0 ? 1 : MAX_FIELD_MANAGER_LENGTH)
  return [
    ...errors,
    ...characters.map(({ shown, at }) => invalidValue(field, manager, `invalid character ${shown} (at position ${at})`)),
  ]
}

function validateManagedFieldsEntry(entry: ManagedFieldsEntry, field: string): FieldError[] {
  const { operation = '', fieldsType = '', manager = '', subresource = '' } = entry
  const errors: FieldError[] = []
  if (operation !== 'Apply' && operation !== 'Update') {
    errors.push(invalidValue(`${field}.operation`, enumValue(operation), 'must be `Apply` or `Update`'))
  }
  if (fieldsType !== '' && fieldsType !== 'FieldsV1')
    errors.push(invalidValue(`${field}.fieldsType`, fieldsType, 'must be `FieldsV1`'))
  errors.push(...validateFieldManager(manager, `${field}.manager`))
  if (utf8Length(subresource) > MAX_SUBRESOURCE_LENGTH) errors.push(tooLong(`${field}.subresource`, MAX_SUBRESOURCE_LENGTH))
  return errors
}

/** The entries of `managedFields`, but for the sets of fields in them. */
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
 * What is wrong with the metadata of an object (ValidateObjectMeta). Names must have been generated before.
 * Built-in kinds ask `validateStandardFinalizers` too.
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
 * What is wrong with a change of metadata (ValidateObjectMetaUpdate). kube-apiserver reports an update's errors of
 * validateObjectMetaUpdate and validateObjectMeta (with `nameIsPathSegment`) first, and then those of the kind's own validation,
 * which for most kinds calls both again: the causes of a Status list an error of the labels four times.
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

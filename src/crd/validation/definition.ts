/** Validates CustomResourceDefinitions. Follows ValidateCustomResourceDefinition of apiextensions-apiserver. */
import { addErrors, asJson, errorsOf, type FieldError, invalidValue, notSupported, required } from '../../meta/field-error.ts'
import { isDns1035Label, isDns1123Subdomain, nameIsDnsSubdomain, type ValidateName } from '../../meta/names.ts'
import { type Parts, runNow } from '../../meta/parts.ts'
import { approvalAnnotation, approvalOf, isProtectedGroup } from '../approval.ts'
import {
  type CustomResourceDefinition,
  type DefinitionNames,
  type DefinitionSpec,
  type DefinitionVersion,
  isTrue,
} from '../definition.ts'
import { someSchema } from '../json-schema.ts'
import { caBundleErrors, conversionErrors, hasInvalidCaBundle } from './conversion.ts'
import { allVersionsErrors, eachVersionErrors, sharedErrors } from './versions.ts'

const mixedCase = 'may have mixed case, but should otherwise match: '

function labelErrors(value: string, field: string): FieldError[] {
  const errors = value === '' ? [] : isDns1035Label(value)
  return errors.length === 0 ? [] : [invalidValue(field, value, errors.join(','))]
}

function kindErrors(value: string, field: string): FieldError[] {
  const errors = value === '' ? [] : isDns1035Label(value.toLowerCase())
  return errors.length === 0 ? [] : [invalidValue(field, value, mixedCase + errors.join(','))]
}

/** Validates names as labels; required names are checked elsewhere. */
function namesErrors(names: DefinitionNames, path: string): FieldError[] {
  const { plural = '', singular = '', kind = '', listKind = '', shortNames = [], categories = [] } = names
  const each = (texts: readonly string[], field: string): FieldError[] =>
    errorsOf(texts, (text, i) => {
      const errors = isDns1035Label(text)
      return errors.length === 0 ? [] : [invalidValue(`${path}.${field}[${i}]`, text, errors.join(','))]
    })
  return [
    ...labelErrors(plural, `${path}.plural`),
    ...labelErrors(singular, `${path}.singular`),
    ...kindErrors(kind, `${path}.kind`),
    ...kindErrors(listKind, `${path}.listKind`),
    ...each(shortNames, 'shortNames'),
    ...(kind !== '' && kind === listKind
      ? [invalidValue(`${path}.listKind`, listKind, 'kind and listKind may not be the same')]
      : []),
    ...each(categories, 'categories'),
  ]
}

function groupErrors(group: string, field: string): FieldError[] {
  if (group === '') return [required(field)]
  const errors = isDns1123Subdomain(group)
  if (errors.length > 0) return [invalidValue(field, group, errors.join(','))]
  return group.includes('.') ? [] : [invalidValue(field, group, 'should be a domain with at least one dot')]
}

function scopeErrors(scope: string, field: string): FieldError[] {
  if (scope === '') return [required(field)]
  const scopes = ['Cluster', 'Namespaced']
  return scopes.includes(scope) ? [] : [notSupported(field, scope, scopes)]
}

function* specErrors(spec: DefinitionSpec, path: string, { old, version }: Earlier<DefinitionSpec>): Parts<FieldError[]> {
  const errors = [...groupErrors(spec.group, `${path}.group`), ...scopeErrors(spec.scope, `${path}.scope`)]
  const needsSchema = version !== 'v1beta1' && !(old?.versions ?? []).some(hasNoSchema)
  for (const [i, own] of spec.versions.entries()) {
    if (needsSchema && hasNoSchema(own)) errors.push(required(`${path}.versions[${i}].schema.openAPIV3Schema`))
  }
  const hasDefaults = spec.versions.some(({ schema }) => someSchema(schema?.openAPIV3Schema, (at) => at.default !== undefined))
  if (hasDefaults && spec.preserveUnknownFields === true) {
    const text = 'must be false in order to use defaults in the schema'
    errors.push(invalidValue(`${path}.preserveUnknownFields`, true, text))
  }
  addErrors(errors, [...(yield* eachVersionErrors(spec, path, old)), ...allVersionsErrors(spec, path)])
  for (const name of ['plural', 'singular', 'kind', 'listKind'] as const) {
    if ((spec.names[name] ?? '') === '') errors.push(required(`${path}.names.${name}`))
  }
  addErrors(errors, [...namesErrors(spec.names, `${path}.names`), ...(yield* sharedErrors(spec, path, old))])
  const { conversion } = spec
  if (spec.preserveUnknownFields === true && conversion !== undefined && conversion.strategy !== 'None') {
    const text = 'must be None if spec.preserveUnknownFields is true'
    errors.push(invalidValue(`${path}.conversion.strategy`, conversion.strategy, text))
  }
  return [...errors, ...conversionErrors(conversion, `${path}.conversion`)]
}

/** The circumstances of a validation: the old value, if there is one, and the version of the request. */
interface Earlier<T> {
  readonly old: T | undefined
  readonly version: string
}

/** Whether a version has no schema, as v1beta1 allows. */
const hasNoSchema = ({ schema }: DefinitionVersion): boolean => schema?.openAPIV3Schema === undefined

function storedVersionErrors({ spec, status }: CustomResourceDefinition): FieldError[] {
  const path = 'status.storedVersions'
  const stored = status?.storedVersions ?? []
  if (stored.length === 0) return [invalidValue(path, null, 'must have at least one stored version')]
  const errors: FieldError[] = []
  // Each version takes its name away: of two storage versions with one name, the second is missing.
  const left = new Set(stored)
  for (const { name, storage } of spec.versions) {
    if (storage && !left.has(name)) errors.push(invalidValue(path, stored, `must have the storage version ${name}`))
    left.delete(name)
  }
  return [
    ...errors,
    ...stored.flatMap((name, i) => (left.has(name) ? [invalidValue(`${path}[${i}]`, name, lostVersion(name))] : [])),
  ]
}

const lostVersion = (name: string): string =>
  `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`

function approvalErrors({ metadata, spec }: CustomResourceDefinition, old: CustomResourceDefinition | undefined): FieldError[] {
  if (!isProtectedGroup(spec.group)) return []
  const annotation = metadata.annotations?.[approvalAnnotation] ?? ''
  const { state, reason } = approvalOf(annotation)
  if (old !== undefined && approvalOf(old.metadata.annotations?.[approvalAnnotation] ?? '').state === state) return []
  const field = `metadata.annotations[${approvalAnnotation}]`
  if (state === 'missing') return [required(field, reason)]
  return state === 'invalid' ? [invalidValue(field, annotation, reason)] : []
}

function preserveErrors({ spec }: CustomResourceDefinition, { old, version }: Earlier<CustomResourceDefinition>): FieldError[] {
  if (version === 'v1beta1' || spec.preserveUnknownFields !== true || old?.spec.preserveUnknownFields === true) return []
  const text = 'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead'
  return [invalidValue('spec.preserveUnknownFields', true, text)]
}

const statusNamesErrors = ({ status }: CustomResourceDefinition): FieldError[] =>
  status === undefined ? [] : namesErrors(status.acceptedNames, 'status.acceptedNames')

function laterErrors(definition: CustomResourceDefinition, earlier: Earlier<CustomResourceDefinition>): FieldError[] {
  return [
    ...statusNamesErrors(definition),
    ...storedVersionErrors(definition),
    ...approvalErrors(definition, earlier.old),
    ...preserveErrors(definition, earlier),
  ]
}

/** Returns the name validation of a definition. */
export function definitionName({ spec: { names, group } }: CustomResourceDefinition): ValidateName {
  const own = `${names.plural}.${group}`
  return (name, isPrefix) => {
    const problems = nameIsDnsSubdomain(name, isPrefix)
    return name === own ? problems : [...problems, 'must be spec.names.plural+"."+spec.group']
  }
}

function* newErrors(definition: CustomResourceDefinition, version: string): Parts<FieldError[]> {
  const earlier = { old: undefined, version }
  return [...(yield* specErrors(definition.spec, 'spec', earlier)), ...laterErrors(definition, earlier)]
}

const immutable = (value: string, old: string, field: string, reported: unknown = value): FieldError[] =>
  value === old ? [] : [invalidValue(field, reported, 'field is immutable')]

/** Validates an update: fields on which stored objects depend are immutable. */
function* changeErrors(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
  version: string,
): Parts<FieldError[]> {
  const { spec } = definition
  const established = isTrue(old, 'Established')
    ? [
        ...immutable(spec.scope, old.spec.scope, 'spec.scope', asJson(spec.scope)),
        ...immutable(spec.names.kind, old.spec.names.kind, 'spec.names.kind'),
      ]
    : []
  return [
    ...(yield* specErrors(spec, 'spec', { old: old.spec, version })),
    ...(isTrue(old, 'Established') && !hasInvalidCaBundle(old.spec.conversion)
      ? caBundleErrors(spec.conversion, 'spec.conversion')
      : []),
    ...established,
    ...immutable(spec.group, old.spec.group, 'spec.group'),
    ...immutable(spec.names.plural, old.spec.names.plural, 'spec.names.plural'),
    ...laterErrors(definition, { old, version }),
  ]
}

/**
 * Validates a definition except its metadata, in slices, because schemas may be large.
 * @param old the old definition; undefined for a new one
 * @param version the version of the request: v1beta1 needs no schemas, and may preserve unknown fields
 */
export const definitionErrorParts = (
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  version: string,
): Parts<FieldError[]> => (old === undefined ? newErrors(definition, version) : changeErrors(definition, old, version))

/** Validates a new definition except its metadata. */
export const definitionErrors = (definition: CustomResourceDefinition, version = 'v1'): FieldError[] =>
  runNow(definitionErrorParts(definition, undefined, version))

/** Validates an update of a definition. */
export const definitionUpdateErrors = (
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
  version = 'v1',
): FieldError[] => runNow(definitionErrorParts(definition, old, version))

/** Validates an update of the status. */
export const definitionStatusErrors = statusNamesErrors

/** Validates the versions of a definition. */

import { equalValues } from '../../apply/value.ts'
import { internalJson } from '../../catalog/internal-json.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { utf8Length } from '../../go/text.ts'
import {
  addErrors,
  asJson,
  duplicate,
  errorsOf,
  type FieldError,
  invalidValue,
  required,
  tooMany,
} from '../../meta/field-error.ts'
import { isDns1035Label } from '../../meta/names.ts'
import type { Parts } from '../../meta/parts.ts'
import { explicitEmpty } from '../../schema/explicit-empty.ts'
import type { DefinitionColumn, DefinitionSpec, DefinitionSubresources, DefinitionVersion } from '../definition.ts'
import type { JsonSchema } from '../json-schema.ts'
import { FieldPathError, followFieldPath } from './field-path.ts'
import { schemaErrors } from './schema-errors.ts'

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string']
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']
const mostSelectableFields = 8
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

function deprecationErrors({ deprecated, deprecationWarning }: DefinitionVersion): string[] {
  if (deprecationWarning === undefined) return []
  if (deprecated !== true) return ['can only be set for deprecated versions']
  const errors: string[] = []
  if (utf8Length(deprecationWarning) > 256) errors.push('must be <= 256 characters long')
  if (deprecationWarning === '') errors.push('must not be an empty string')
  let index = 0
  for (const character of deprecationWarning) {
    if (!printable.test(character)) {
      return [...errors, `must only contain printable UTF-8 characters; non-printable character found at index ${index}`]
    }
    index += utf8Length(character)
  }
  return errors
}

/** Validates a simple path of fields, below one of the roots if any are given. */
function simplePathErrors(path: string, field: string, roots: readonly string[], where: string): FieldError[] {
  if (path === '') return [invalidValue(field, path, 'must not be empty')]
  if (!path.startsWith('.')) return [invalidValue(field, path, 'must be a simple json path starting with .')]
  if (roots.length === 0 || roots.some((root) => path.startsWith(root))) return []
  return [invalidValue(field, path, `should be a json path under ${where}`)]
}

function subresourceErrors(subresources: DefinitionSubresources | undefined, path: string): FieldError[] {
  const scale = subresources?.scale
  if (scale === undefined) return []
  const { specReplicasPath = '', statusReplicasPath = '', labelSelectorPath = '' } = scale
  const needed = (value: string, name: string, root: string): FieldError[] =>
    value === '' ? [required(`${path}.scale.${name}`)] : simplePathErrors(value, `${path}.scale.${name}`, [`${root}.`], root)
  return [
    ...needed(specReplicasPath, 'specReplicasPath', '.spec'),
    ...needed(statusReplicasPath, 'statusReplicasPath', '.status'),
    ...(labelSelectorPath === ''
      ? []
      : simplePathErrors(
          labelSelectorPath,
          `${path}.scale.labelSelectorPath`,
          ['.spec.', '.status.'],
          'either .spec or .status',
        )),
  ]
}

function columnErrors({ name, type, format = '', jsonPath }: DefinitionColumn, path: string): FieldError[] {
  const errors: FieldError[] = []
  if (name === '') errors.push(required(`${path}.name`))
  const oneOf = `must be one of ${columnTypes.join(',')}`
  if (type === '') errors.push(required(`${path}.type`, oneOf))
  else if (!columnTypes.includes(type)) errors.push(invalidValue(`${path}.type`, type, oneOf))
  if (format !== '' && !columnFormats.includes(format)) {
    errors.push(invalidValue(`${path}.format`, format, `must be one of ${columnFormats.join(',')}`))
  }
  if (jsonPath === '') errors.push(required(`${path}.JSONPath`))
  else addErrors(errors, simplePathErrors(jsonPath, `${path}.JSONPath`, [], ''))
  return errors
}

/** Validates a selectable field. */
function selectableErrors(jsonPath: string, schema: JsonSchema, field: string, seen: Set<string>): FieldError[] {
  try {
    const found = followFieldPath(jsonPath, schema, 'refused')
    const errors: FieldError[] = []
    if (found.root === 'metadata') errors.push(invalidValue(field, jsonPath, 'must not point to fields in metadata'))
    if (!['string', 'boolean', 'integer'].includes(found.schema?.type ?? '')) {
      const text =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'
      errors.push(invalidValue(field, jsonPath, text))
    }
    if (seen.has(found.text)) errors.push(duplicate(field, jsonPath))
    seen.add(found.text)
    return errors
  } catch (error) {
    if (error instanceof FieldPathError) return [invalidValue(field, jsonPath, `is an invalid path: ${error.message}`)]
    throw error
  }
}

function selectableFieldErrors(fields: DefinitionVersion['selectableFields'], schema: JsonSchema, path: string): FieldError[] {
  const seen = new Set<string>()
  const errors = errorsOf(fields ?? [], ({ jsonPath = '' }, i) => {
    const field = `${path}[${i}].jsonPath`
    return jsonPath === '' ? [required(field)] : selectableErrors(jsonPath, schema, field, seen)
  })
  if (seen.size > mostSelectableFields) errors.push(tooMany(path, seen.size, mostSelectableFields))
  return errors
}

/** Whether parts are equal in all versions. Such a part is validated once, as if it belonged to the definition. */
type Shared = Readonly<Record<'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields', boolean>>

const same = (versions: readonly DefinitionVersion[], part: keyof Shared): boolean =>
  versions.every((version) => equalParts(version[part], versions[0]?.[part]))

const equalParts = (a: unknown, b: unknown): boolean =>
  a === b || (a !== undefined && b !== undefined && equalValues(a as JsonValue, b as JsonValue))

/** Returns which parts are equal in all versions. */
export function sharedParts({ versions }: DefinitionSpec): Shared {
  return {
    schema: same(versions, 'schema'),
    subresources: same(versions, 'subresources'),
    additionalPrinterColumns: same(versions, 'additionalPrinterColumns'),
    selectableFields: same(versions, 'selectableFields'),
  }
}

const hasStatus = ({ subresources }: DefinitionVersion): boolean => subresources?.status !== undefined

const columnsErrors = (columns: DefinitionVersion['additionalPrinterColumns'], path: string): FieldError[] =>
  errorsOf(columns ?? [], (column, i) => columnErrors(column, `${path}.additionalPrinterColumns[${i}]`))

/** The old definition; undefined for a new one. */
type OldSchemas = DefinitionSpec | undefined

const schemaOf = (spec: OldSchemas, name: string): JsonSchema | undefined =>
  spec?.versions.find((version) => version.name === name)?.schema?.openAPIV3Schema

function limitsOf({ name, schema }: DefinitionVersion, old: OldSchemas): 'checked' | 'accepted' {
  const before = schemaOf(old, name)
  return before !== undefined && equalParts(schema?.openAPIV3Schema, before) ? 'accepted' : 'checked'
}

function* versionErrors(version: DefinitionVersion, path: string, shared: Shared, old: OldSchemas): Parts<FieldError[]> {
  const schema = version.schema?.openAPIV3Schema
  const errors = deprecationErrors(version).map((text) =>
    invalidValue(`${path}.deprecationWarning`, asJson(version.deprecationWarning ?? ''), text),
  )
  if (!shared.schema && schema !== undefined) {
    const place = `${path}.schema.openAPIV3Schema`
    addErrors(errors, yield* schemaErrors(schema, place, hasStatus(version), limitsOf(version, old)))
  }
  if (!shared.subresources) addErrors(errors, subresourceErrors(version.subresources, `${path}.subresources`))
  if (!shared.additionalPrinterColumns) addErrors(errors, columnsErrors(version.additionalPrinterColumns, path))
  if (shared.selectableFields || (version.selectableFields ?? []).length === 0) return errors
  // A schema that all versions share is validated elsewhere.
  if (schema === undefined || shared.schema) {
    const text = 'may only be set when `version.schema.openAPIV3Schema` is not included'
    return [...errors, invalidValue(`${path}.selectableFields`, '', text)]
  }
  return [...errors, ...selectableFieldErrors(version.selectableFields, schema, `${path}.selectableFields`)]
}

/** Validates each version by itself. */
export function* eachVersionErrors(spec: DefinitionSpec, path: string, old: OldSchemas): Parts<FieldError[]> {
  const shared = sharedParts(spec)
  const errors: FieldError[] = []
  for (const [i, version] of spec.versions.entries()) {
    const place = `${path}.versions[${i}]`
    const name = isDns1035Label(version.name)
    if (name.length > 0) errors.push(invalidValue(`${place}.name`, version.name, name.join(',')))
    addErrors(errors, yield* versionErrors(version, place, shared, old))
  }
  return errors
}

/** Returns the versions as messages quote them: without shared parts. */
function shownVersions(spec: DefinitionSpec): JsonValue {
  const shared = sharedParts(spec)
  const own = spec.versions.map((version) =>
    Object.fromEntries(Object.entries(version).filter(([name]) => shared[name as keyof Shared] !== true)),
  )
  if (own.length === 0) return explicitEmpty(spec, 'versions') === undefined ? null : []
  return internalJson('[]apiextensions.CustomResourceDefinitionVersion', own)
}

/** Validates the versions together. */
export function allVersionsErrors(spec: DefinitionSpec, path: string): FieldError[] {
  const { versions } = spec
  const place = `${path}.versions`
  const errors: FieldError[] = []
  const names = versions.map(({ name }) => name)
  if (new Set(names).size < names.length)
    errors.push(invalidValue(place, shownVersions(spec), 'must contain unique version names'))
  if (versions.filter(({ storage }) => storage).length !== 1) {
    errors.push(invalidValue(place, shownVersions(spec), 'must have exactly one version marked as storage version'))
  }
  const first = isDns1035Label(names[0] ?? '')
  if ((names[0] ?? '') !== '' && first.length > 0) errors.push(invalidValue(`${path}.version`, names[0], first.join(',')))
  return errors
}

/** Validates the parts that all versions share. */
export function* sharedErrors(spec: DefinitionSpec, path: string, old: OldSchemas): Parts<FieldError[]> {
  const shared = sharedParts(spec)
  const [first] = spec.versions
  if (first === undefined) return []
  const schema = first.schema?.openAPIV3Schema
  const errors: FieldError[] = []
  if (shared.schema && schema !== undefined) {
    const isStatus = spec.versions.some(hasStatus)
    addErrors(errors, yield* schemaErrors(schema, `${path}.validation.openAPIV3Schema`, isStatus, limitsOf(first, old)))
  }
  if (shared.subresources) addErrors(errors, subresourceErrors(first.subresources, `${path}.subresources`))
  if (shared.additionalPrinterColumns) addErrors(errors, columnsErrors(first.additionalPrinterColumns, path))
  if (!shared.selectableFields || (first.selectableFields ?? []).length === 0) return errors
  // An empty `schema` counts as one in which nothing is found.
  if (first.schema === undefined || !shared.schema) {
    return [...errors, invalidValue(`${path}.selectableFields`, '', 'may only be set when validations.schema is included')]
  }
  return [...errors, ...selectableFieldErrors(first.selectableFields, schema ?? {}, `${path}.selectableFields`)]
}

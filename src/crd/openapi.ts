/**
 * The OpenAPI schemas of custom resources: version 3 publishes the definition's schema, version 2 the part that kubectl supports.
 * Follows pkg/controller/openapi of apiextensions-apiserver.
 */
import { descriptionOf } from '../catalog/descriptions/describe.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { sorted } from '../schema/sorted.ts'
import { isSchema, itemsOf, type JsonSchema, propertiesOf, type ValidationRule } from './json-schema.ts'

type Version = 'v2' | 'v3'

const metaType = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'
const references: Readonly<Record<Version, string>> = {
  v2: `#/definitions/${metaType}`,
  v3: `#/components/schemas/${metaType}`,
}

const isTrue = (schema: JsonSchema, keyword: keyof JsonSchema): boolean => schema[keyword] === true

const conventions = 'More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md'

const embeddedTexts = {
  apiVersion: `apiVersion defines the versioned schema of this representation of an object. ${conventions}#resources`,
  kind: `kind is a string value representing the type of this object. In CamelCase. ${conventions}#types-kinds`,
}

/** Returns the properties of every embedded object. In version 3 a description cannot be beside a reference. */
function embeddedProperties(version: Version): JsonObject {
  const text = (field: keyof typeof embeddedTexts): JsonObject => ({ description: embeddedTexts[field], type: 'string' })
  const reference = { $ref: references[version] }
  const description = descriptionOf('core/v1.Pod', 'metadata')
  const metadata = version === 'v3' ? { description, allOf: [reference] } : { description, ...reference }
  return { apiVersion: text('apiVersion'), kind: text('kind'), metadata }
}

function withEmbedded(schema: JsonObject, version: Version): JsonObject {
  const properties = { ...(schema.properties as JsonObject | undefined), ...embeddedProperties(version) }
  const required = [...((schema.required as JsonValue[] | undefined) ?? [])]
  for (const field of ['kind', 'apiVersion']) if (!required.includes(field)) required.push(field)
  return { ...schema, properties, required }
}

/** The alternatives of an integer or a string. */
const alternatives: readonly JsonSchema[] = [{ type: 'integer' }, { type: 'string' }]

const areAlternatives = (schemas: readonly JsonSchema[] | undefined): boolean =>
  JSON.stringify(schemas) === JSON.stringify(alternatives)

/** Returns a schema of an integer or a string with both alternatives, which a definition may leave out. Follows Unfold. */
function unfolded(schema: JsonSchema): JsonSchema {
  const { anyOf, allOf } = schema
  if (areAlternatives(anyOf) || areAlternatives(allOf?.[0]?.anyOf)) return schema
  return anyOf === undefined
    ? { ...schema, anyOf: alternatives }
    : { ...schema, allOf: [{ anyOf: alternatives }, ...(allOf ?? [])] }
}

/** Converts the subschemas of a schema. */
function madeOver(schema: JsonSchema, version: Version): JsonObject {
  const items = itemsOf(schema)
  const { additionalProperties } = schema
  const properties = propertiesOf(schema).map(([name, property]) => [name, schemaIn(version, property)])
  return {
    ...(schema as unknown as JsonObject),
    ...(items !== undefined && { items: schemaIn(version, items) }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) as JsonObject }),
    ...(isSchema(additionalProperties) && { additionalProperties: schemaIn(version, additionalProperties) }),
  }
}

/** Returns the required fields without nullable ones, because version 2 has no null. */
function requiredIn2(schema: JsonSchema): readonly string[] {
  const { required = [], properties = {}, additionalProperties } = schema
  if (isSchema(additionalProperties) && additionalProperties.nullable === true) return []
  return required.filter((name) => properties[name]?.nullable !== true)
}

/**
 * Returns the part of a schema that kubectl supports: without logic and defaults, and without the parts of schemas that are
 * nullable or preserve unknown fields.
 */
function reduced(schema: JsonSchema): JsonSchema {
  const { allOf: _allOf, oneOf: _oneOf, anyOf: _anyOf, not: _not, nullable, type, items, properties, ...rest } = schema
  const { required: _required, default: _default, ...others } = rest
  const isOpen = isTrue(schema, 'x-kubernetes-preserve-unknown-fields')
  const isBare = nullable === true || isOpen
  const isUntyped = nullable === true || (type === 'array' && (isBare || items === undefined)) || (isOpen && type === 'object')
  const required = requiredIn2(schema)
  // The rules have no Go type in this version, so their keys are sorted.
  const rules = schema['x-kubernetes-validations']?.map((rule) => sorted({ ...rule }) as unknown as ValidationRule)
  return {
    ...others,
    ...(rules !== undefined && { 'x-kubernetes-validations': rules }),
    ...(type !== undefined && !isUntyped && { type }),
    ...(items !== undefined && !isBare && { items }),
    ...(properties !== undefined && !isBare && { properties }),
    ...(required.length > 0 && { required }),
  }
}

/** Returns a schema of version 3. */
const whole = (schema: JsonSchema): JsonSchema => (isTrue(schema, 'x-kubernetes-int-or-string') ? unfolded(schema) : schema)

/** Converts a schema to a version of OpenAPI. */
function schemaIn(version: Version, schema: JsonSchema): JsonObject {
  const own = madeOver(version === 'v2' ? reduced(schema) : whole(schema), version)
  const isOpen = version === 'v2' && isTrue(schema, 'x-kubernetes-preserve-unknown-fields')
  return isTrue(schema, 'x-kubernetes-embedded-resource') && !isOpen ? withEmbedded(own, version) : own
}

/**
 * Returns the schemas of a version's objects, each made on first use. Version 2 publishes nothing for definitions that preserve
 * all unknown fields.
 */
export function openApiSchemas(
  schema: JsonSchema | undefined,
  preservesAll: boolean,
): { readonly v2: JsonObject | undefined; readonly v3: JsonObject } {
  if (schema === undefined || preservesAll) return { v2: undefined, v3: { type: 'object' } }
  const isOpen = isTrue(schema, 'x-kubernetes-preserve-unknown-fields')
  return {
    get v2() {
      return isOpen ? undefined : schemaIn('v2', schema)
    },
    get v3() {
      return schemaIn('v3', schema)
    },
  }
}

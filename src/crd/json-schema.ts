/** The schema of a custom resource in a CustomResourceDefinition: JSONSchemaProps of apiextensions.k8s.io/v1. */
import type { JsonObject, JsonValue } from '../go/json-value.ts'

/** A rule of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}

/** A decoded schema: fields are never null, and empty ones are absent. */
export interface JsonSchema {
  readonly id?: string
  readonly $schema?: string
  readonly $ref?: string
  readonly description?: string
  readonly type?: string
  readonly format?: string
  readonly title?: string
  readonly default?: JsonValue
  readonly maximum?: number
  readonly exclusiveMaximum?: boolean
  readonly minimum?: number
  readonly exclusiveMinimum?: boolean
  readonly maxLength?: number
  readonly minLength?: number
  readonly pattern?: string
  readonly maxItems?: number
  readonly minItems?: number
  readonly uniqueItems?: boolean
  readonly multipleOf?: number
  readonly enum?: readonly JsonValue[]
  readonly maxProperties?: number
  readonly minProperties?: number
  readonly required?: readonly string[]
  readonly items?: JsonSchema | readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly anyOf?: readonly JsonSchema[]
  readonly not?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>
  readonly dependencies?: Readonly<Record<string, JsonSchema | readonly string[]>>
  readonly additionalItems?: JsonSchema | boolean
  readonly definitions?: Readonly<Record<string, JsonSchema>>
  readonly externalDocs?: JsonObject
  readonly example?: JsonValue
  readonly nullable?: boolean
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-map-type'?: string
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[]
}

/** Whether `items` is one schema for all items. */
export function isSchema(value: JsonSchema['items'] | boolean): value is JsonSchema {
  // The value may be null at run time, although the type does not say so: bodies may contain null.
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the schema of the items; undefined if it is absent or a list of schemas, which no valid definition has. */
export function itemsOf(schema: JsonSchema): JsonSchema | undefined {
  return isSchema(schema.items) ? schema.items : undefined
}

/** Returns the properties sorted by name, which is the order of messages. */
export function propertiesOf(schema: JsonSchema): readonly (readonly [string, JsonSchema])[] {
  const { properties } = schema
  if (properties === undefined) return []
  return Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1))
}

const none: readonly JsonSchema[] = []

const one = (schema: JsonSchema | boolean | undefined): readonly JsonSchema[] => (isSchema(schema) ? [schema] : none)

const valuesOf = (schemas: Readonly<Record<string, JsonSchema>> | undefined): readonly JsonSchema[] =>
  schemas === undefined ? none : Object.values(schemas)

/** Returns the direct subschemas, a list for each keyword. */
function below(schema: JsonSchema): readonly (readonly JsonSchema[])[] {
  const { items, dependencies } = schema
  return [
    items === undefined || isSchema(items) ? one(items) : items,
    schema.allOf ?? none,
    schema.anyOf ?? none,
    schema.oneOf ?? none,
    one(schema.not),
    valuesOf(schema.properties),
    one(schema.additionalProperties),
    valuesOf(schema.patternProperties),
    one(schema.additionalItems),
    valuesOf(schema.definitions),
    dependencies === undefined ? none : Object.values(dependencies).flatMap((each) => one(each as JsonSchema)),
  ]
}

/** Whether a schema or one of its subschemas satisfies a predicate. */
export function someSchema(schema: JsonSchema | undefined, has: (schema: JsonSchema) => boolean): boolean {
  if (schema === undefined) return false
  return has(schema) || below(schema).some((schemas) => schemas.some((each) => someSchema(each, has)))
}

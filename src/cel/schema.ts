/** What the engine reads of a structural schema (JSONSchemaProps of apiextensions.k8s.io/v1). */
import type { JsonValue } from '../go/json-value.ts'

export interface StructuralSchema {
  readonly type?: string
  readonly format?: string
  readonly nullable?: boolean
  readonly default?: JsonValue
  readonly enum?: readonly JsonValue[]
  readonly properties?: Readonly<Record<string, StructuralSchema>>
  readonly additionalProperties?: StructuralSchema | boolean
  readonly required?: readonly string[]
  readonly items?: StructuralSchema
  readonly maxLength?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
}

/** What a schema describes: a whole resource, of which rules always know kind, apiVersion and metadata's names, or a part. */
export type Position = 'resource' | 'part'

/** What the schema of an item or property describes. */
export function positionOf(schema: StructuralSchema): Position {
  return schema['x-kubernetes-embedded-resource'] === true ? 'resource' : 'part'
}

const STRING: StructuralSchema = { type: 'string' }

const OBJECT_META: StructuralSchema = { type: 'object', properties: { name: STRING, generateName: STRING } }

const isString = (schema: StructuralSchema | undefined): boolean => schema?.type === 'string'

/** The schema with what every resource has, where it does not say all of that itself. */
export function withObjectMeta(schema: StructuralSchema): StructuralSchema {
  const { kind, apiVersion, metadata } = schema.properties ?? {}
  const complete =
    isString(kind) &&
    isString(apiVersion) &&
    metadata?.type === 'object' &&
    isString(metadata.properties?.name) &&
    isString(metadata.properties?.generateName)
  if (complete) return schema
  return { ...schema, properties: { ...schema.properties, kind: STRING, apiVersion: STRING, metadata: OBJECT_META } }
}

/** The properties of a schema, undefined where it declares none. */
export function propertiesOf(schema: StructuralSchema): Readonly<Record<string, StructuralSchema>> | undefined {
  return schema.properties !== undefined && Object.keys(schema.properties).length > 0 ? schema.properties : undefined
}

/** The schema of additional properties, where it says anything. */
export function additionalOf(schema: StructuralSchema): StructuralSchema | undefined {
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
}

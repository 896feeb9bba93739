/** The parts of a structural schema that the engine uses (JSONSchemaProps of apiextensions.k8s.io/v1). */
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

/**
 * The position of a schema: a whole resource, whose kind, apiVersion and metadata names are always visible to rules, or a part.
 */
export type Position = 'resource' | 'part'

/** Returns the position of an item's or property's schema. */
export function positionOf(schema: StructuralSchema): Position {
  return schema['x-kubernetes-embedded-resource'] === true ? 'resource' : 'part'
}

const STRING: StructuralSchema = { type: 'string' }

const OBJECT_META: StructuralSchema = { type: 'object', properties: { name: STRING, generateName: STRING } }

const isString = (schema: StructuralSchema | undefined): boolean => schema?.type === 'string'

/** Returns the schema with the fields of every resource, unless it declares all of them. */
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

/** Returns the properties of a schema; undefined if it declares none. */
export function propertiesOf(schema: StructuralSchema): Readonly<Record<string, StructuralSchema>> | undefined {
  return schema.properties !== undefined && Object.keys(schema.properties).length > 0 ? schema.properties : undefined
}

/** Returns the schema of additional properties, if it is an object. */
export function additionalOf(schema: StructuralSchema): StructuralSchema | undefined {
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
}

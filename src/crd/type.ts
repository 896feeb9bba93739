/**
 * The type of a schema, by which server-side apply merges and tracks ownership. Follows k8s.io/kube-openapi/pkg/schemaconv, which
 * converts the OpenAPI document of a definition in the same way.
 */
import { typeOf } from '../catalog/scheme.ts'
import type { Field, List, MapOf, Struct, Type } from '../schema/type.ts'
import { isSchema, itemsOf, type JsonSchema, propertiesOf } from './json-schema.ts'

const any: Type = { kind: 'any', go: 'interface {}' }
const text: Type = { kind: 'string', go: 'string' }
const untyped: Type = { kind: 'intOrString', go: 'interface {}' }
const formatted: Type = { kind: 'scalar', go: 'interface {}' }

const scalars: Readonly<Record<string, Type>> = {
  integer: { kind: 'int64', go: 'int64' },
  number: { kind: 'float64', go: 'float64' },
  boolean: { kind: 'boolean', go: 'bool' },
}

function field(name: string, type: Type, schema?: JsonSchema): Field {
  return {
    name,
    type,
    pointer: true,
    omitempty: true,
    omitzero: false,
    required: false,
    default: schema?.default,
    patchStrategy: [],
    patchMergeKey: '',
  }
}

/** Whether unknown fields are preserved at this position or by an ancestor. */
type Unknown = 'kept' | 'pruned'

function listOf(schema: JsonSchema, unknown: Unknown): List {
  const items = itemsOf(schema)
  const listType = schema['x-kubernetes-list-type']
  return {
    kind: 'list',
    go: '[]interface {}',
    element: items === undefined ? any : typeOfSchema(items, unknown),
    elementPointer: true,
    listType: listType === 'set' || listType === 'map' ? listType : 'atomic',
    keys: schema['x-kubernetes-list-map-keys'] ?? [],
  }
}

function mapOf(value: Type, atomic: boolean): MapOf {
  return { kind: 'map', go: 'map[string]interface {}', value, atomic }
}

function structOf(fields: readonly Field[], atomic: boolean, others: Type | undefined): Struct {
  return {
    kind: 'struct',
    go: 'map[string]interface {}',
    name: '',
    fields: new Map(fields.map((each) => [each.name, each])),
    atomic,
    ...(others !== undefined && { additional: others }),
  }
}

/** Returns the type of undeclared keys; undefined if they are not allowed. */
function othersOf({ additionalProperties, properties }: JsonSchema, unknown: Unknown): Type | undefined {
  if (additionalProperties === undefined) {
    return unknown === 'kept' || Object.keys(properties ?? {}).length === 0 ? any : undefined
  }
  if (isSchema(additionalProperties)) return typeOfSchema(additionalProperties, unknown)
  return additionalProperties ? any : undefined
}

function objectOf(schema: JsonSchema, unknown: Unknown, given: readonly Field[] = []): Type {
  const own = given.map(({ name }) => name)
  const declared = propertiesOf(schema)
    .filter(([name]) => !own.includes(name))
    .map(([name, property]) => field(name, typeOfSchema(property, unknown), property))
  const atomic = schema['x-kubernetes-map-type'] === 'atomic'
  const others = othersOf(schema, unknown)
  if (declared.length === 0 && given.length === 0 && others !== undefined) return mapOf(others, atomic)
  return structOf([...given, ...declared], atomic, others)
}

/** The fields of every object, even if its schema does not declare them. */
const typeMeta = (): Field[] => [field('apiVersion', text), field('kind', text), field('metadata', typeOf('meta/v1.ObjectMeta'))]

function typeOfSchema(schema: JsonSchema, above: Unknown): Type {
  const unknown = schema['x-kubernetes-preserve-unknown-fields'] === true ? 'kept' : above
  if (schema['x-kubernetes-int-or-string'] === true) return untyped
  if (schema['x-kubernetes-embedded-resource'] === true) return objectOf(schema, unknown, typeMeta())
  switch (schema.type) {
    case 'object':
      return objectOf(schema, unknown)
    case 'array':
      return listOf(schema, unknown)
    case 'string':
      return schema.format === undefined || schema.format === '' || schema.format === 'byte' ? text : formatted
    case 'integer':
    case 'number':
    case 'boolean':
      return scalars[schema.type] ?? untyped
    default:
      return any
  }
}

/** Returns the type of a version's objects. */
export function typeOfObjects(schema: JsonSchema | undefined): Type {
  if (schema === undefined) return structOf(typeMeta(), false, any)
  const unknown = schema['x-kubernetes-preserve-unknown-fields'] === true ? 'kept' : 'pruned'
  return objectOf(schema, unknown, typeMeta())
}

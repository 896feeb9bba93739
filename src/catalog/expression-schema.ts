/**
 * The schemas of Go types for CEL's type checker. Follows the OpenAPI definitions of the types, as the resolver of
 * k8s.io/apiserver/pkg/cel/openapi reads them: a type within itself has no fields, and a type without an OpenAPI type is invisible.
 */
import type { StructuralSchema } from '../cel/schema.ts'
import type { Struct, Type } from '../schema/type.ts'

const invisible: StructuralSchema = {}

/** The schemas of types without parts. A quantity is a number or a string, so that its schema has no type. */
const simple: Readonly<Record<Exclude<Type['kind'], 'struct' | 'map' | 'list'>, StructuralSchema>> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  int32: { type: 'integer' },
  int64: { type: 'integer' },
  uint8: { type: 'integer' },
  uint16: { type: 'integer' },
  uint32: { type: 'integer' },
  uint64: { type: 'integer' },
  float32: { type: 'number' },
  float64: { type: 'number' },
  time: { type: 'string', format: 'date-time' },
  microTime: { type: 'string', format: 'date-time' },
  duration: { type: 'string' },
  quantity: invisible,
  scalar: invisible,
  intOrString: { 'x-kubernetes-int-or-string': true },
  rawExtension: { type: 'object' },
  fieldsV1: { type: 'object' },
  bytes: { type: 'string', format: 'byte' },
  any: invisible,
}

function schemaOfStruct(type: Struct, above: readonly string[]): StructuralSchema {
  if (above.includes(type.go)) return { type: 'object' }
  const within = [...above, type.go]
  const properties = [...type.fields].map(([name, field]): [string, StructuralSchema] => [name, schemaWithin(field.type, within)])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

function schemaWithin(type: Type, above: readonly string[]): StructuralSchema {
  switch (type.kind) {
    case 'struct':
      return schemaOfStruct(type, above)
    case 'map':
      return { type: 'object', additionalProperties: schemaWithin(type.value, above) }
    case 'list':
      return { type: 'array', items: schemaWithin(type.element, above) }
    default:
      return simple[type.kind]
  }
}

/** Returns the schema of a Go type. Named types are expanded wherever they occur. */
export function expressionSchemaOf(type: Type): StructuralSchema {
  return schemaWithin(type, [])
}

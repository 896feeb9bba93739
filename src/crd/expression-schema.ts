/** The schemas of custom resources for CEL's type checker: the published ones, in which metadata is complete. */
import type { StructuralSchema } from '../cel/schema.ts'
import { isSchema, itemsOf, type JsonSchema, propertiesOf } from './json-schema.ts'

const text: StructuralSchema = { type: 'string' }

function withTypeMeta(schema: StructuralSchema, metadata: StructuralSchema): StructuralSchema {
  return { ...schema, properties: { ...schema.properties, apiVersion: text, kind: text, metadata } }
}

/** Completes the embedded objects of a schema. */
function withEmbedded(schema: JsonSchema, metadata: StructuralSchema): StructuralSchema {
  const items = itemsOf(schema)
  const { additionalProperties } = schema
  const properties = propertiesOf(schema).map(([name, property]) => [name, withEmbedded(property, metadata)] as const)
  const completed: StructuralSchema = {
    ...(schema as StructuralSchema),
    ...(items !== undefined && { items: withEmbedded(items, metadata) }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(isSchema(additionalProperties) && { additionalProperties: withEmbedded(additionalProperties, metadata) }),
  }
  return schema['x-kubernetes-embedded-resource'] === true ? withTypeMeta(completed, metadata) : completed
}

/**
 * Returns the schema of a version's objects.
 * @param schema undefined if the definition has none or preserves all unknown fields
 * @param metadata the schema of ObjectMeta
 */
export function typeCheckedSchema(schema: JsonSchema | undefined, metadata: StructuralSchema): StructuralSchema {
  return schema === undefined ? { type: 'object' } : withTypeMeta(withEmbedded(schema, metadata), metadata)
}

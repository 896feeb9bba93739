/** A schema prepared for walking along objects, built when its definition is first used. */
import type { JsonValue } from '../../go/json-value.ts'
import { isSchema, itemsOf, type JsonSchema, propertiesOf } from '../json-schema.ts'

/** The schema at one position. */
export interface SchemaNode {
  readonly schema: JsonSchema
  /** Sorted by name. */
  readonly properties: ReadonlyMap<string, SchemaNode>
  /** Set if undeclared keys are allowed, with their schema if it is given. */
  readonly additional: { readonly node: SchemaNode | undefined } | undefined
  readonly items: SchemaNode | undefined
  readonly preservesUnknown: boolean
  readonly isEmbedded: boolean
  readonly nullable: boolean
  /** The default; undefined without a default. */
  readonly default: JsonValue | undefined
  /** The properties with a default. */
  readonly defaulted: readonly (readonly [string, JsonValue])[]
  /** Whether this or a position below is a list of type `set` or `map`. */
  readonly hasListTypes: boolean
  /** Whether this or a position below is an embedded object. */
  readonly hasEmbedded: boolean
}

function additionalOf({ additionalProperties }: JsonSchema): SchemaNode['additional'] {
  if (additionalProperties === undefined) return undefined
  return { node: isSchema(additionalProperties) ? nodeOf(additionalProperties) : undefined }
}

const isKeyed = ({ 'x-kubernetes-list-type': type }: JsonSchema): boolean => type === 'set' || type === 'map'

/** Makes the node of a schema that validation has found structural. */
export function nodeOf(schema: JsonSchema): SchemaNode {
  const items = itemsOf(schema)
  const properties = new Map(propertiesOf(schema).map(([name, property]) => [name, nodeOf(property)]))
  const additional = additionalOf(schema)
  const node = items === undefined ? undefined : nodeOf(items)
  const below = [...properties.values(), additional?.node, node].filter((each) => each !== undefined)
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true
  return {
    schema,
    properties,
    additional,
    items: node,
    preservesUnknown: schema['x-kubernetes-preserve-unknown-fields'] === true,
    isEmbedded,
    nullable: schema.nullable === true,
    default: schema.default,
    defaulted: [...properties].flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value] as const])),
    hasListTypes: isKeyed(schema) || below.some((each) => each.hasListTypes),
    hasEmbedded: isEmbedded || below.some((each) => each.hasEmbedded),
  }
}

/** Returns the node of a key: that of a property, or of undeclared keys. */
export function childOf(node: SchemaNode, key: string): SchemaNode | undefined {
  return node.properties.get(key) ?? node.additional?.node
}

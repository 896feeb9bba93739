/** A schema made ready to walk along objects: looked at once, when its definition is first used. */
import type { JsonValue } from '../../go/json-value.ts'
import { isSchema, itemsOf, type JsonSchema, propertiesOf } from '../json-schema.ts'

/** What may stand at one place of an object. */
export interface SchemaNode {
  readonly schema: JsonSchema
  /** In the order of their names. */
  readonly properties: ReadonlyMap<string, SchemaNode>
  /** Whether keys that are no properties are known; their schema where they have one. */
  readonly additional: { readonly node: SchemaNode | undefined } | undefined
  readonly items: SchemaNode | undefined
  readonly preservesUnknown: boolean
  readonly isEmbedded: boolean
  readonly nullable: boolean
  /** The default; undefined where there is none. */
  readonly default: JsonValue | undefined
  /** The properties that have a default. */
  readonly defaulted: readonly (readonly [string, JsonValue])[]
  /** Something here or below is a list whose items must be told apart. */
  readonly hasListTypes: boolean
  /** Something here or below is an object with metadata of its own. */
  readonly hasEmbedded: boolean
}

function additionalOf({ additionalProperties }: JsonSchema): SchemaNode['additional'] {
  if (additionalProperties === undefined) return undefined
  return { node: isSchema(additionalProperties) ? nodeOf(additionalProperties) : undefined }
}

const isKeyed = ({ 'x-kubernetes-list-type': type }: JsonSchema): boolean => type === 'set' || type === 'map'

/** Makes the node of a schema that its definition's validation has found structural. */
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

/** The node of a key: a property's, or that of all other keys. */
export function childOf(node: SchemaNode, key: string): SchemaNode | undefined {
  return node.properties.get(key) ?? node.additional?.node
}

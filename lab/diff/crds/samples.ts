/** Generates custom resources from their schemas alone. */
import type { CustomResourceDefinition, DefinitionVersion } from '../../../src/crd/definition.ts'
import { itemsOf, type JsonSchema, propertiesOf } from '../../../src/crd/json-schema.ts'
import { patternOf } from '../../../src/crd/schema/pattern.ts'
import type { JsonObject, JsonValue } from '../../../src/go/json-value.ts'

/** Whether an object contains only required fields, or all fields. */
export type Extent = 'smallest' | 'fullest'

/** The maximum depth for optional fields. */
const deepest = 7

const texts: readonly string[] = [
  'a',
  'abc',
  'a.example.com',
  'https://a.example.com/b',
  '1',
  '1s',
  '100m',
  'v1',
  'a/b',
  'a=b',
  '10.0.0.0',
  '10.0.0.0/8',
  '2020-01-01T00:00:00Z',
  'spiffe://a',
  'Abc',
  'ABC',
  '1.2.3',
  'sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
  '/a',
  '*',
  '',
]

const ofFormat: Readonly<Record<string, string>> = {
  'date-time': '2020-01-01T00:00:00Z',
  date: '2020-01-01',
  duration: '1s',
  byte: 'YQ==',
  uri: 'https://a.example.com/b',
  ipv4: '10.0.0.1',
  ipv6: '::1',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
  hostname: 'a.example.com',
  email: 'a@example.com',
}

function textOf({ format = '', pattern, minLength = 0, maxLength = 1000 }: JsonSchema): string {
  const matches = pattern === undefined || pattern === '' ? () => true : patternOf(pattern)
  const own = ofFormat[format]
  const fits = (text: string): boolean => text.length >= minLength && text.length <= maxLength && matches(text, () => undefined)
  return [...(own === undefined ? [] : [own]), ...texts].find(fits) ?? 'a'.repeat(Math.max(minLength, 1))
}

function objectOf(schema: JsonSchema, extent: Extent, depth: number): JsonObject {
  const { required = [], additionalProperties, minProperties = 0 } = schema
  const included = propertiesOf(schema).filter(([name]) => required.includes(name) || (extent === 'fullest' && depth < deepest))
  const object = Object.fromEntries(included.map(([name, property]) => [name, sampleValue(property, extent, depth + 1)]))
  const isMap = typeof additionalProperties === 'object' && !Array.isArray(additionalProperties)
  if (isMap && (extent === 'fullest' || minProperties > 0)) object.key = sampleValue(additionalProperties, extent, depth + 1)
  return object
}

/** Generates a value of a schema; logical keywords are ignored. */
export function sampleValue(schema: JsonSchema, extent: Extent, depth = 0): JsonValue {
  const { type, minimum = 1, multipleOf = 1, minItems = 0 } = schema
  if (schema.default !== undefined && depth > 0) return schema.default
  if (schema.enum?.[0] !== undefined) return schema.enum[0]
  if (schema['x-kubernetes-int-or-string'] === true) return 1
  if (schema['x-kubernetes-embedded-resource'] === true) return { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' } }
  const items = itemsOf(schema)
  switch (type) {
    case 'string':
      return textOf(schema)
    case 'integer':
    case 'number':
      return Math.max(minimum, multipleOf)
    case 'boolean':
      return true
    case 'array':
      return items === undefined ? [] : Array.from({ length: Math.max(1, minItems) }, () => sampleValue(items, extent, depth + 1))
    default:
      return type === 'object' || schema.properties !== undefined ? objectOf(schema, extent, depth) : 'any'
  }
}

/** Generates an object of a version. */
export function sampleOf(
  { spec }: CustomResourceDefinition,
  version: DefinitionVersion,
  extent: Extent,
  name: string,
): JsonObject {
  const schema = version.schema?.openAPIV3Schema ?? {}
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...rest } = objectOf(schema, extent, 0)
  const labels = { app: 'sample' }
  return { apiVersion: `${spec.group}/${version.name}`, kind: spec.names.kind, metadata: { name, labels }, ...rest }
}

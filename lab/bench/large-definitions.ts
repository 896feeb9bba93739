/** CustomResourceDefinitions as large operators have them: wide and deep schemas with long descriptions and CEL rules. */
import type { CustomResourceDefinition } from '../../src/crd/definition.ts'
import type { JsonSchema } from '../../src/crd/json-schema.ts'
import { definition, ruledSchema } from './custom-definitions.ts'

const sentence =
  'It is looked at whenever the object changes, and what is not given here is left as it is; see the guide for what follows.'

const leaf = (i: number): JsonSchema => ({
  type: 'object',
  description: `Selects what number ${i} is read from. ${sentence}`,
  required: ['key'],
  properties: {
    key: { type: 'string', description: `The key to select. ${sentence}`, minLength: 1, maxLength: 253 },
    name: { type: 'string', description: sentence, default: '', pattern: '^[a-z0-9]*([-a-z0-9]*[a-z0-9])?$', maxLength: 253 },
    optional: { type: 'boolean', description: sentence },
  },
  'x-kubernetes-map-type': 'atomic',
  ...(i % 4 === 0 && { 'x-kubernetes-validations': [{ rule: 'self.key != self.name', message: 'the two are the same' }] }),
})

/** Makes a recursive schema with three fields per level. */
function branch(depth: number): JsonSchema {
  const below = depth < 2 ? {} : { next: branch(depth - 1), list: { type: 'array', maxItems: 10, items: branch(depth - 2) } }
  return {
    type: 'object',
    description: `Level ${depth}. ${sentence}`,
    properties: { from: leaf(depth), to: leaf(depth + 1), ...below },
  }
}

/** Makes a schema of about this number of bytes; part of it has rules. */
export function largeSchema(bytes: number): JsonSchema {
  const properties: Record<string, JsonSchema> = {}
  for (let size = JSON.stringify(ruledSchema).length, i = 0; size < bytes; i++) {
    const part = branch(i % 6)
    properties[`part${i}`] = part
    size += JSON.stringify(part).length
  }
  const parts: JsonSchema = { type: 'object', description: 'Parts.', properties }
  return { ...ruledSchema, properties: { ...ruledSchema.properties, parts } }
}

/** Makes a definition of 400 KB. */
export const largeDefinition = (index: number): CustomResourceDefinition => definition(index, largeSchema(400_000))

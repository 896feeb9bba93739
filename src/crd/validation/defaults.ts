/**
 * Validates the defaults of a schema: they must be valid and must not contain fields that would be pruned. Follows
 * ValidateDefaults of apiextensions-apiserver.
 */

import { equalValues } from '../../apply/value.ts'
import { copyOf, isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { addErrors, type FieldError, invalidValue } from '../../meta/field-error.ts'
import { itemsOf, type JsonSchema, propertiesOf } from '../json-schema.ts'
import { evaluateRules } from '../rules/evaluate.ts'
import { ruleTreeOf } from '../rules/rule-tree.ts'
import { aggregateText, coerceEmbedded, embeddedErrors } from '../schema/embedded.ts'
import { nodeOf } from '../schema/node.ts'
import { prune, typeFields } from '../schema/prune.ts'
import { validateAt, validatorOf } from '../schema/validate.ts'
import { fieldErrorOf } from '../schema/violation.ts'

/** Wraps a default in the object around it, so that fields within metadata can be decoded. */
type Surround = (focus: JsonValue) => JsonValue

interface Place {
  readonly path: string
  /** The schema of the resource, whole or embedded, that contains the position. */
  readonly root: JsonSchema
  readonly surround: Surround
  readonly isInsideMeta: boolean
}

const asRoot = (schema: JsonSchema): JsonSchema => ({ ...schema, 'x-kubernetes-embedded-resource': true })

function surrounded({ surround }: Place, value: JsonValue): JsonObject {
  const object = surround(value)
  return { kind: 'Validation', apiVersion: 'validation/v1', ...(isObject(object) ? object : {}) }
}

function schemaErrors(schema: JsonSchema, value: JsonValue, path: string): FieldError[] {
  const { violations } = validateAt(validatorOf(schema, 'defaults'), value, '', undefined)
  return violations.map((violation) => fieldErrorOf(violation, path))
}

/** Validates a default as a new value and as an unchanged one. */
function valueErrors(schema: JsonSchema, value: JsonValue, path: string): FieldError[] {
  const errors = schemaErrors(schema, value, path)
  if (errors.length > 0) return errors
  const tree = ruleTreeOf(schema, false)
  const kept = evaluateRules(tree, value, value, path, undefined).errors
  return kept.length > 0 ? kept : evaluateRules(tree, value, undefined, path, undefined).errors
}

function metaDefaultErrors(schema: JsonSchema, value: JsonValue, place: Place): FieldError[] {
  const path = `${place.path}.default`
  const object = surrounded(place, copyOf(value))
  const node = nodeOf(place.root)
  const malformed = coerceEmbedded(object, node, '', { malformed: 'refuse' })
  if (malformed !== undefined) {
    return [invalidValue(path, value, `must result in valid metadata: ${malformed.field}: ${malformed.text}`)]
  }
  const errors = embeddedErrors(object, node, '')
  if (errors.length > 0) return [invalidValue(path, value, `must result in valid metadata: ${aggregateText(errors)}`)]
  return valueErrors(schema, value, path)
}

function defaultErrors(schema: JsonSchema, value: JsonValue, place: Place): FieldError[] {
  if (place.isInsideMeta) return metaDefaultErrors(schema, value, place)
  const path = `${place.path}.default`
  const node = nodeOf(schema)
  const pruned = copyOf(value)
  prune(pruned, node, node.isEmbedded, 'ignore')
  const errors = equalValues(pruned, value) ? [] : [invalidValue(path, value, 'must not have unknown fields')]
  const malformed = coerceEmbedded(copyOf(value), node, path, { malformed: 'refuse' })
  if (malformed !== undefined) return [...errors, malformed]
  const embedded = embeddedErrors(value, node, path)
  return [...errors, ...(embedded.length > 0 ? embedded : valueErrors(schema, value, path))]
}

function visit(schema: JsonSchema, above: Place): FieldError[] {
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true
  const place: Place = isEmbedded ? { ...above, root: schema, surround: (focus) => focus, isInsideMeta: false } : above
  const errors = schema.default === undefined ? [] : defaultErrors(schema, schema.default, place)
  const items = itemsOf(schema)
  if (items !== undefined) {
    const surround: Surround = (focus) => place.surround([focus])
    addErrors(errors, visit(items, { ...place, path: `${place.path}.items`, surround }))
  }
  for (const [name, property] of propertiesOf(schema)) {
    const surround: Surround = (focus) => place.surround({ [name]: focus })
    const isInsideMeta = place.isInsideMeta || (isEmbedded && typeFields.has(name))
    addErrors(errors, visit(property, { ...place, path: `${place.path}.properties[${name}]`, surround, isInsideMeta }))
  }
  return errors
}

/** Returns the errors in the defaults of a structural schema. */
export function defaultsErrors(schema: JsonSchema, path: string): FieldError[] {
  const root = asRoot(schema)
  return visit(root, { path, root, surround: (focus) => focus, isInsideMeta: false })
}

/** The rules of a schema by position, compiled when the first object is validated. */

import type { StructuralSchema } from '../../cel/schema.ts'
import { type ReadValue, schemaReader } from '../../cel/schema-values.ts'
import { isSchema, itemsOf, type JsonSchema, propertiesOf } from '../json-schema.ts'
import { FieldPathError, followFieldPath } from '../validation/field-path.ts'
import { type CompiledRule, compileRules, placeOf, selfType } from './compile-rule.ts'

/** A position with rules, or with rules below it. */
export interface RuleTree {
  readonly schema: JsonSchema
  readonly rules: readonly CompiledRule[]
  /** The field paths that the rules declare for errors, by rule index; '' if a rule declares none. */
  readonly fieldPaths: readonly string[]
  /** The reason why no rule can be compiled. */
  readonly failure: string | undefined
  readonly read: ReadValue
  readonly usesOldSelf: boolean
  readonly properties: ReadonlyMap<string, RuleTree>
  readonly additional: RuleTree | undefined
  readonly items: RuleTree | undefined
}

function pathOf(schema: JsonSchema, fieldPath: string | undefined): string {
  if (fieldPath === undefined || fieldPath === '') return ''
  try {
    return followFieldPath(fieldPath, schema, 'allowed').text
  } catch (error) {
    if (error instanceof FieldPathError) return ''
    throw error
  }
}

/** Returns the rules of a schema; undefined if it has none. */
export function ruleTreeOf(schema: JsonSchema, isRoot: boolean): RuleTree | undefined {
  const given = schema['x-kubernetes-validations'] ?? []
  const items = itemsOf(schema)
  const { additionalProperties } = schema
  const properties = propertiesOf(schema).flatMap(([name, property]) => {
    // Rules are ignored if `self` would not be visible to them.
    const tree = selfType(property, false) === undefined ? undefined : ruleTreeOf(property, false)
    return tree === undefined ? [] : [[name, tree] as const]
  })
  const additional = isSchema(additionalProperties) ? ruleTreeOf(additionalProperties, false) : undefined
  const ofItems = items === undefined ? undefined : ruleTreeOf(items, false)
  if (given.length === 0 && properties.length === 0 && additional === undefined && ofItems === undefined) return undefined
  const declared = given.length === 0 ? undefined : selfType(schema, isRoot)
  const rules = declared === undefined ? [] : compileRules(given, declared)
  return {
    schema,
    rules,
    fieldPaths: given.map(({ fieldPath }) => pathOf(schema, fieldPath)),
    failure: given.length > 0 && declared === undefined ? 'failed to convert to declType for CEL validation rules' : undefined,
    read: schemaReader(schema as StructuralSchema, placeOf(schema, isRoot)),
    usesOldSelf: rules.some(({ usesOldSelf }) => usesOldSelf),
    properties: new Map(properties),
    additional,
    items: ofItems,
  }
}

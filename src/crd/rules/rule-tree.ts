/** The rules of a schema where they stand: worked out once, when an object is first validated. */

import type { StructuralSchema } from '../../cel/schema.ts'
import { type ReadValue, schemaReader } from '../../cel/schema-values.ts'
import { isSchema, itemsOf, type JsonSchema, propertiesOf } from '../json-schema.ts'
import { FieldPathError, followFieldPath } from '../validation/field-path.ts'
import { type CompiledRule, compileRules, placeOf, selfType } from './compile-rule.ts'

/** A place with rules at it or below it. */
export interface RuleTree {
  readonly schema: JsonSchema
  readonly rules: readonly CompiledRule[]
  /** The paths that rules give their failures, by their places in the list; '' where they give none. */
  readonly fieldPaths: readonly string[]
  /** Rules cannot be compiled at all. */
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

/** The rules of a schema; undefined where it has none. */
export function ruleTreeOf(schema: JsonSchema, isRoot: boolean): RuleTree | undefined {
  const given = schema['x-kubernetes-validations'] ?? []
  const items = itemsOf(schema)
  const { additionalProperties } = schema
  const properties = propertiesOf(schema).flatMap(([name, property]) => {
    // Rules of what has no type that they could see are left out.
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

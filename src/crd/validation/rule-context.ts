/** The context of rules at a position of a schema: the type of `self`, and how often a rule may be evaluated for one object. */
import type { DeclaredType } from '../../cel/schema-types.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { forbiddenValue } from '../../meta/field-error.ts'
import type { JsonSchema } from '../json-schema.ts'
import { selfType } from '../rules/compile-rule.ts'

/** The limit of the estimated cost of all rules of a definition. */
export const definitionCostLimit = 100_000_000
/** The maximum number of most expensive rules that errors name. */
const mostNamed = 4

/** The estimated cost of all rules of a schema. */
export class TotalCost {
  total = 0
  readonly #dear: { readonly path: string; readonly cost: number }[] = []

  observe(path: string, cost: number): void {
    this.total += cost
    if (cost >= definitionCostLimit / 100) this.#dear.push({ path, cost })
  }

  /** Returns the errors if the limit is exceeded. */
  errors(path: string): FieldError[] {
    if (this.total <= definitionCostLimit) return []
    const named = [...this.#dear].sort((a, b) => b.cost - a.cost).slice(0, mostNamed)
    const text = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
    return [
      ...named.map((each) => forbiddenValue(each.path, text)),
      forbiddenValue(path, costText(what, this.total, definitionCostLimit)),
    ]
  }
}

/** Returns the error text for an estimate that exceeds its limit. */
export function costText(what: string, cost: number, limit: number): string {
  const factor = cost / limit
  const times = factor > 100 ? 'more than 100' : factor < 1.5 ? factor.toFixed(6) : factor.toFixed(1)
  const hint =
    'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared'
  return `${what} exceeds budget by factor of ${times}x (${hint})`
}

/** Returns the maximum number of values of a subschema per value of the schema; undefined if it is unbounded. */
function mostBelow(schema: JsonSchema): number | undefined {
  if (schema.type === 'array') return schema.maxItems === undefined ? undefined : Math.max(0, schema.maxItems)
  if (schema.type !== 'object' || schema.additionalProperties === undefined) return 1
  return schema.maxProperties === undefined ? undefined : Math.max(0, schema.maxProperties)
}

/** A position in a schema, as rules see it. */
export class RuleContext {
  readonly schema: JsonSchema
  readonly total: TotalCost
  /** Whether estimates of single rules are checked: not if the schema was accepted before. */
  readonly limits: 'checked' | 'accepted'
  /** The maximum number of values at this position in one object; undefined if it is unbounded. */
  readonly cardinality: number | undefined
  readonly #isRoot: boolean

  private constructor(
    schema: JsonSchema,
    total: TotalCost,
    limits: 'checked' | 'accepted',
    cardinality: number | undefined,
    isRoot: boolean,
  ) {
    this.schema = schema
    this.total = total
    this.limits = limits
    this.cardinality = cardinality
    this.#isRoot = isRoot
  }

  static root(schema: JsonSchema, limits: 'checked' | 'accepted'): RuleContext {
    return new RuleContext(schema, new TotalCost(), limits, 1, true)
  }

  /** Returns the context of a subschema. */
  below(schema: JsonSchema): RuleContext {
    const most = mostBelow(this.schema)
    const cardinality = this.cardinality === undefined || most === undefined ? undefined : this.cardinality * most
    return new RuleContext(schema, this.total, this.limits, cardinality, false)
  }

  /** Returns the type of `self`; undefined if it is not visible to rules. */
  declared(): DeclaredType | undefined {
    return selfType(this.schema, this.#isRoot)
  }
}

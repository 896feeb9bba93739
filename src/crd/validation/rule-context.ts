/** Where in a schema rules are looked at: what `self` is there, and how often a rule may be asked of one object. */
import type { DeclaredType } from '../../cel/schema-types.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { forbiddenValue } from '../../meta/field-error.ts'
import type { JsonSchema } from '../json-schema.ts'
import { selfType } from '../rules/compile-rule.ts'

/** What all rules of a definition may cost together, as estimated. */
export const definitionCostLimit = 100_000_000
/** How many of the dearest rules are named. */
const mostNamed = 4

/** What the rules of a schema cost together. */
export class TotalCost {
  total = 0
  readonly #dear: { readonly path: string; readonly cost: number }[] = []

  observe(path: string, cost: number): void {
    this.total += cost
    if (cost >= definitionCostLimit / 100) this.#dear.push({ path, cost })
  }

  /** What is wrong where it is too much. */
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

/** By how much an estimate passes its limit. */
export function costText(what: string, cost: number, limit: number): string {
  const factor = cost / limit
  const shown = factor > 100 ? 'more than 100' : factor < 1.5 ? factor.toFixed(6) : factor.toFixed(1)
  const hint =
    'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared'
  return `${what} exceeds budget by factor of ${shown}x (${hint})`
}

/** How many values there are of a part of a schema, for each of the whole; undefined where nothing bounds them. */
function mostBelow(schema: JsonSchema): number | undefined {
  if (schema.type === 'array') return schema.maxItems === undefined ? undefined : Math.max(0, schema.maxItems)
  if (schema.type !== 'object' || schema.additionalProperties === undefined) return 1
  return schema.maxProperties === undefined ? undefined : Math.max(0, schema.maxProperties)
}

/** A place in a schema, as rules see it. */
export class RuleContext {
  readonly schema: JsonSchema
  readonly total: TotalCost
  /** Whether estimates of single rules are looked at: not where the schema was accepted before. */
  readonly limits: 'checked' | 'accepted'
  /** How many values of the place one object has at most. */
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

  /** The place of a part of the schema. */
  below(schema: JsonSchema): RuleContext {
    const most = mostBelow(this.schema)
    const cardinality = this.cardinality === undefined || most === undefined ? undefined : this.cardinality * most
    return new RuleContext(schema, this.total, this.limits, cardinality, false)
  }

  /** The type of `self`; undefined where rules can see nothing. */
  declared(): DeclaredType | undefined {
    return selfType(this.schema, this.#isRoot)
  }
}

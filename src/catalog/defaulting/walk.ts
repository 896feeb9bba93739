/**
 * Applies defaulting rules to an object: each rule at every value of its type, as the code of k8s.io/code-generator's
 * defaulter-gen.
 */
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { requireLength } from '../../meta/object-length.ts'
import type { Type } from '../../schema/type.ts'
import { orderStruct } from '../field-order.ts'
import type { Rule, Rules } from './rule.ts'

/** The number of elements from which their lengths are counted. Fewer ones become no longer than an object may be. */
const minCounted = 4096

/** The work at a value of one type. */
interface Plan {
  readonly rule: Rule | undefined
  /** The fields of a struct with rules at or below them. */
  readonly fields: readonly { readonly name: string; readonly type: Type }[]
  /** The type of the elements, if rules apply at or below them. */
  readonly element: Type | undefined
}

const nothing: Plan = { rule: undefined, fields: [], element: undefined }

function elementOf(type: Type): Type | undefined {
  if (type.kind === 'list') return type.element
  return type.kind === 'map' ? type.value : undefined
}

/** The rules of one group, with a plan per type that is made on first use. */
export class DefaultingWalk {
  private readonly rules: Rules
  private readonly plans = new Map<Type, Plan>()

  constructor(rules: Rules) {
    this.rules = rules
  }

  /** Applies the rules to a value and all values below it, in place, and keeps Go's order of fields. */
  run(type: Type, value: JsonValue | undefined): void {
    if (typeof value !== 'object' || value === null) return
    const plan = this.planOf(type)
    if (plan === nothing) return
    const object = value as JsonObject
    plan.rule?.(object)
    if (type.kind === 'struct') orderStruct(type, object)
    for (const field of plan.fields) this.run(field.type, object[field.name])
    if (plan.element !== undefined) this.runElements(plan.element, Array.isArray(value) ? value : Object.values(object))
  }

  /** Applies the rules to the elements of a list or map. Many small ones may become a hundred times as long: that ends early. */
  private runElements(type: Type, elements: readonly JsonValue[]): void {
    let length = 0
    for (const element of elements) {
      this.run(type, element)
      if (elements.length < minCounted) continue
      length += JSON.stringify(element).length
      requireLength(length)
    }
  }

  private planOf(type: Type): Plan {
    let plan = this.plans.get(type)
    if (plan === undefined) {
      plan = this.makePlan(type)
      this.plans.set(type, plan)
    }
    return plan
  }

  private makePlan(type: Type): Plan {
    if (!this.applies(type)) return nothing
    const fields = type.kind === 'struct' ? [...type.fields.values()].filter((field) => this.applies(field.type)) : []
    const element = elementOf(type)
    return {
      rule: this.ruleOf(type),
      fields: fields.map((field) => ({ name: field.name, type: field.type })),
      element: element !== undefined && this.applies(element) ? element : undefined,
    }
  }

  private ruleOf(type: Type): Rule | undefined {
    return Object.hasOwn(this.rules, type.go) ? this.rules[type.go] : undefined
  }

  /** Whether a rule applies to the type or below it. Types may be recursive. */
  private applies(root: Type): boolean {
    const seen = new Set<Type>([root])
    for (const type of seen) {
      if (this.ruleOf(type) !== undefined) return true
      const element = elementOf(type)
      if (element !== undefined) seen.add(element)
      if (type.kind === 'struct') for (const field of type.fields.values()) seen.add(field.type)
    }
    return false
  }
}

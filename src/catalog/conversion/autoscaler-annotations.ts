/**
 * The annotations in which autoscaling/v1 keeps the fields of autoscaling/v2. Clients can write any text into them: one that is not
 * JSON of its type counts as absent, as in k8s.io/kubernetes/pkg/apis/autoscaling/v1/conversion.go.
 */
import { parseJson } from '../../go/json.ts'
import { isObject } from '../../go/json-object.ts'
import { JsonSyntaxError } from '../../go/json-syntax.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { decode } from '../../schema/decode.ts'
import { DecodeError } from '../../schema/decode-run.ts'
import { type ExplicitEmpty, recordExplicitEmpty } from '../../schema/explicit-empty.ts'
import { TypeResolver } from '../../schema/resolve.ts'
import type { Type } from '../../schema/type.ts'
import { defaulters } from '../defaulting/defaulters.ts'
import { typeTables } from '../generated/served.ts'

let resolver: TypeResolver | undefined

function typeOf(name: string): Type {
  resolver ??= new TypeResolver(typeTables)
  return resolver.resolve(name)
}

/** Returns a value as one of a type. @throws DecodeError */
const typed = (type: string, value: JsonValue): JsonObject => decode(typeOf(type), value).object

/** Parses an annotation and reads it; undefined without one, or if it does not fit. */
function read<T>(text: string | undefined, from: (value: JsonValue) => T | undefined): T | undefined {
  if (text === undefined) return undefined
  try {
    return from(parseJson(text, 'verbatim'))
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof DecodeError) return undefined
    throw error
  }
}

/** The types of the lists in annotations. */
type ListedType = 'MetricSpec' | 'MetricStatus' | 'HorizontalPodAutoscalerCondition'

/** Returns the objects of autoscaling/v1 in an annotation; undefined if they do not have the type. */
export const listFromText = (text: string | undefined, type: ListedType): readonly JsonObject[] | undefined =>
  read(text, (value) => {
    if (value === null) return []
    return Array.isArray(value) ? value.map((element) => typed(`autoscaling/v1.${type}`, element)) : undefined
  })

/** Renames the keys at every depth. */
function mapKeys(value: JsonValue, change: (name: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((element) => mapKeys(element, change))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [change(key), mapKeys(inner, change)]))
}

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
const small = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1)

const ruleFields = ['stabilizationWindowSeconds', 'selectPolicy', 'policies', 'tolerance'] as const

/** Returns the annotation with a behavior. It is kept in the internal version, whose field names have capitals. */
export function behaviorText({ scaleUp, scaleDown }: JsonObject): string {
  const rules = (value: JsonValue | undefined): JsonValue =>
    isObject(value) ? Object.fromEntries(ruleFields.map((name) => [capital(name), mapKeys(value[name] ?? null, capital)])) : null
  return JSON.stringify({ ScaleUp: rules(scaleUp), ScaleDown: rules(scaleDown) })
}

const behaviorType = 'autoscaling/v2.HorizontalPodAutoscalerBehavior'

/**
 * Rules without policies: kube-apiserver validates an annotation before it has defaults, so their absence is an error, as that of
 * an explicitly empty list.
 */
const withoutPolicies = (behavior: JsonObject): ExplicitEmpty[] =>
  ['scaleUp', 'scaleDown'].flatMap((name) => {
    const rules = behavior[name]
    return isObject(rules) && rules.policies === undefined ? [{ path: [name, 'policies'], shape: 'list' }] : []
  })

/**
 * Returns the behavior of an annotation, with the defaults that kube-apiserver sets when it reads the stored object; undefined without
 * one, or if it is empty or does not fit.
 */
export const behaviorFromText = (text: string | undefined): JsonObject | undefined =>
  read(text, (value) => {
    const behavior = typed(behaviorType, mapKeys(value, small))
    if (Object.keys(behavior).length === 0) return undefined
    recordExplicitEmpty(behavior, withoutPolicies(behavior))
    defaulters.get('autoscaling')?.run(typeOf(behaviorType), behavior)
    return behavior
  })

/**
 * Plans attributes, that is names with selections (`self.spec.items[0].?name`): a root and its qualifiers. An attribute costs one
 * unit and each qualifier another. After an optional qualifier all further qualifiers are optional, and so is the result.
 */
import type { EvaluationState, Step } from './activation.ts'
import { formatValue, goTypeName } from './format-value.ts'
import {
  CelError,
  Double,
  errorOr,
  isInt,
  ListValue,
  MapValue,
  NONE,
  OpaqueValue,
  OptionalValue,
  typeNameOf,
  Uint,
  type Value,
} from './value.ts'

/** One selection by a constant or computed key. A test only checks for presence. */
export interface Qualifier {
  readonly key: Value | Step
  readonly mode: 'plain' | 'optional' | 'test'
}

/** A root with its qualifiers, or a conditional of two attributes. */
export type Attribute =
  | { readonly kind: 'root'; readonly root: Step; readonly mayBeOptional: boolean; readonly qualifiers: readonly Qualifier[] }
  | { readonly kind: 'choice'; readonly condition: Step; readonly whenTrue: Attribute; readonly whenFalse: Attribute }

/** Returns the attribute with one more qualifier; both branches of a conditional get it. */
export function qualified(attribute: Attribute, qualifier: Qualifier): Attribute {
  if (attribute.kind === 'root') return { ...attribute, qualifiers: [...attribute.qualifiers, qualifier] }
  return {
    ...attribute,
    whenTrue: qualified(attribute.whenTrue, qualifier),
    whenFalse: qualified(attribute.whenFalse, qualifier),
  }
}

const missingKey = (key: Value): CelError => new CelError(`no such key: ${formatValue(key)}`)

/** Returns the list index of a key of any numeric type. */
function indexOf(key: Value): number | CelError {
  if (typeof key === 'number') return key
  if (isInt(key)) return Number(key)
  const whole = key instanceof Double ? Number.isInteger(key.value) : key instanceof Uint
  if (whole && (key instanceof Double || key instanceof Uint)) return Number(key.value)
  if (key instanceof Double || key instanceof Uint) return new CelError(`unsupported index value ${formatValue(key)} in list`)
  return new CelError(`unsupported index type '${typeNameOf(key)}' in list`)
}

/** Returns the selected value; undefined if it is missing. */
function find(object: Value, key: Value): Value | undefined {
  if (object instanceof MapValue) return object.find(key)
  if (object instanceof ListValue) {
    const index = indexOf(key)
    if (index instanceof CelError) return index
    return index >= 0 && index < object.size ? object.at(index) : undefined
  }
  if (object instanceof OpaqueValue) return object.find(key)
  return object instanceof CelError ? object : undefined
}

/** Returns the selected value, or an error if it is missing. */
function select(object: Value, key: Value): Value {
  const found = find(object, key)
  if (found !== undefined) return found
  return object instanceof ListValue ? new CelError(`index out of bounds: ${formatValue(key)}`) : missingKey(key)
}

function keyOf(qualifier: Qualifier, frame: EvaluationState): Value {
  return typeof qualifier.key === 'function' ? qualifier.key(frame) : qualifier.key
}

/** Returns the error of a computed key of an invalid type. */
export function keyError(key: Value): CelError | undefined {
  if (key instanceof CelError) return key
  const usable = key !== null && !(key instanceof ListValue || key instanceof MapValue || key instanceof OpaqueValue)
  return usable ? undefined : new CelError(`invalid qualifier type: ${goTypeName(key)}`)
}

/** Makes the step that selects a key from the result of the previous step. */
function plainStep(before: Step, qualifier: Qualifier): Step {
  const { key } = qualifier
  if (typeof key !== 'function') {
    return (frame) => {
      const object = before(frame)
      if (object instanceof CelError) return object
      frame.cost++
      return select(object, key)
    }
  }
  return (frame) => {
    const object = before(frame)
    if (object instanceof CelError) return object
    frame.cost++
    const computed = key(frame)
    return keyError(computed) ?? select(object, computed)
  }
}

/** Makes the step of `has`, which tests for presence. */
function testStep(before: Step, key: Value): Step {
  return (frame) => {
    const object = before(frame)
    if (object instanceof CelError) return object
    frame.cost++
    const found = find(object, key)
    return found instanceof CelError ? found : found !== undefined
  }
}

/** Makes the step for attributes with an optional part: applies qualifiers while their values are present. */
function optionalStep(root: Step, qualifiers: readonly Qualifier[]): Step {
  const asksPresence = qualifiers.at(-1)?.mode === 'test'
  return (frame) => {
    const start = root(frame)
    if (start instanceof OptionalValue && start.value === undefined) return asksPresence ? false : start
    let optional = start instanceof OptionalValue
    let value: Value = start instanceof OptionalValue ? (start.value ?? null) : start
    for (const qualifier of qualifiers) {
      if (value instanceof CelError) return value
      optional ||= qualifier.mode === 'optional'
      const key = keyOf(qualifier, frame)
      const wrong = keyError(key)
      if (wrong !== undefined) return wrong
      const lenient = optional || qualifier.mode === 'test'
      const found: Value | undefined = lenient ? find(value, key) : select(value, key)
      if (found !== undefined || qualifier.mode === 'test') frame.cost++
      if (found instanceof CelError) return found
      if (found === undefined) return asksPresence ? false : NONE
      value = qualifier.mode === 'test' ? true : found
    }
    if (value instanceof CelError || !optional) return value
    return asksPresence ? value : new OptionalValue(value)
  }
}

/** Makes the step that resolves an attribute, without the unit that the attribute itself costs. */
export function resolveStep(attribute: Attribute): Step {
  if (attribute.kind === 'choice')
    return choiceStep(attribute.condition, resolveStep(attribute.whenTrue), resolveStep(attribute.whenFalse))
  const { root, qualifiers, mayBeOptional } = attribute
  if (mayBeOptional || qualifiers.some((qualifier) => qualifier.mode === 'optional'))
    return qualifiers.length === 0 ? root : optionalStep(root, qualifiers)
  return qualifiers.reduce(
    (before, qualifier) =>
      qualifier.mode === 'test' && typeof qualifier.key !== 'function'
        ? testStep(before, qualifier.key)
        : plainStep(before, qualifier),
    root,
  )
}

function choiceStep(condition: Step, whenTrue: Step, whenFalse: Step): Step {
  return (frame) => {
    const chosen = condition(frame)
    if (chosen === true) return whenTrue(frame)
    return chosen === false ? whenFalse(frame) : errorOr(chosen)
  }
}

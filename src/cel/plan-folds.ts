/** Plans comprehensions. */

import type { EvaluationState, Step } from './activation.ts'
import { ArrayList, EntryMap, GrowingList, GrowingMap } from './collections.ts'
import { goTypeName } from './format-value.ts'
import { CelError, ListValue, MapValue, type Value } from './value.ts'

/** A comprehension's variable. */
export interface Local {
  readonly read: Step
}

/** The steps of a fold, and the indexes of its variables in the frame. */
export interface Fold {
  readonly range: Step
  readonly initial: Step
  readonly condition: Step
  readonly step: Step
  readonly result: Step
  readonly accumulator: number
  readonly first: number
  readonly second: number
  /** With two variables the first one is the index or key. */
  readonly variables: 'one' | 'two'
}

/** Returns a growing list or map for an empty one, so that the fold adds in place. */
function growing(value: Value): Value {
  if (value instanceof ListValue && value.size === 0) return new GrowingList()
  return value instanceof MapValue && value.size === 0 ? new GrowingMap() : value
}

/** Returns the result of a fold as an immutable value. */
function grown(value: Value): Value {
  if (value instanceof GrowingList) return new ArrayList(value.elements)
  if (!(value instanceof GrowingMap)) return value
  return EntryMap.of(value.keys().map((key): [Value, Value] => [key, value.find(key) ?? null]))
}

/** Runs one iteration. Returns whether to continue. */
function fold({ condition, step, accumulator }: Fold, frame: EvaluationState): boolean {
  frame.checkCost()
  const goOn = condition(frame)
  if (goOn === false) return false
  frame.locals[accumulator] = step(frame)
  return true
}

function foldList(plan: Fold, list: ListValue, frame: EvaluationState): void {
  const { locals } = frame
  for (let i = 0; i < list.size; i++) {
    if (plan.variables === 'two') {
      locals[plan.first] = i
      locals[plan.second] = list.at(i)
    } else locals[plan.first] = list.at(i)
    if (!fold(plan, frame)) return
  }
}

function foldMap(plan: Fold, map: MapValue, frame: EvaluationState): void {
  const { locals } = frame
  for (const key of map.keys()) {
    locals[plan.first] = key
    if (plan.variables === 'two') locals[plan.second] = map.find(key) ?? null
    if (!fold(plan, frame)) return
  }
}

/** Makes the step that folds. */
export function foldStep(plan: Fold): Step {
  return (frame) => {
    const range = plan.range(frame)
    if (range instanceof CelError) return range
    frame.locals[plan.accumulator] = growing(plan.initial(frame))
    if (range instanceof ListValue) foldList(plan, range, frame)
    else if (range instanceof MapValue) foldMap(plan, range, frame)
    else return new CelError(`got '${goTypeName(range)}', expected iterable type`)
    return grown(plan.result(frame))
  }
}

/** Makes the step of a binding: resets the value at `slot` and computes the result. */
export function bindingStep(slot: number, result: Step): Step {
  return (frame) => {
    frame.locals[slot] = undefined
    return result(frame)
  }
}

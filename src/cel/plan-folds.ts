/** Plans comprehensions. */

import type { Frame, Step } from './activation.ts'
import { ArrayList, EntryMap, GrowingList, GrowingMap } from './collections.ts'
import { goTypeName } from './format-value.ts'
import { CelError, ListValue, MapValue, type Value } from './value.ts'

/** A comprehension's variable: how to read it. */
export interface Local {
  readonly read: Step
}

/** The steps of a fold, and at which indexes of the frame its variables are. */
export interface Fold {
  readonly range: Step
  readonly initial: Step
  readonly condition: Step
  readonly step: Step
  readonly result: Step
  readonly accumulator: number
  readonly first: number
  readonly second: number
  /** With two variables the first is the index or key. */
  readonly variables: 'one' | 'two'
}

/** An empty list or map grows in place while a fold adds to it. */
function growing(value: Value): Value {
  if (value instanceof ListValue && value.size === 0) return new GrowingList()
  return value instanceof MapValue && value.size === 0 ? new GrowingMap() : value
}

/** What a fold gives no longer grows. */
function grown(value: Value): Value {
  if (value instanceof GrowingList) return new ArrayList(value.elements)
  if (!(value instanceof GrowingMap)) return value
  return EntryMap.of(value.keys().map((key): [Value, Value] => [key, value.find(key) ?? null]))
}

/** One round; whether to go on. */
function fold({ condition, step, accumulator }: Fold, frame: Frame): boolean {
  frame.checkCost()
  const goOn = condition(frame)
  if (goOn === false) return false
  frame.locals[accumulator] = step(frame)
  return true
}

function foldList(plan: Fold, list: ListValue, frame: Frame): void {
  const { locals } = frame
  for (let i = 0; i < list.size; i++) {
    if (plan.variables === 'two') {
      locals[plan.first] = i
      locals[plan.second] = list.at(i)
    } else locals[plan.first] = list.at(i)
    if (!fold(plan, frame)) return
  }
}

function foldMap(plan: Fold, map: MapValue, frame: Frame): void {
  const { locals } = frame
  for (const key of map.keys()) {
    locals[plan.first] = key
    if (plan.variables === 'two') locals[plan.second] = map.find(key) ?? null
    if (!fold(plan, frame)) return
  }
}

/** The step that folds. */
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

/** The step of a value with a name: the value at `slot` is forgotten each time. */
export function bindingStep(slot: number, result: Step): Step {
  return (frame) => {
    frame.locals[slot] = undefined
    return result(frame)
  }
}

/** The state of one evaluation, and the steps of a plan. */

import { CostLimitExceeded } from './budget.ts'
import { CelError, type Value } from './value.ts'

/** The variables' values by name: the declared variables that an expression may use. */
export type Activation = Readonly<Record<string, Value>>

/** The result of an evaluation that exceeded its cost limit. */
export const COST_LIMIT_EXCEEDED = new CelError('operation cancelled: actual cost limit exceeded')

/** The state of one evaluation while it runs. */
export class EvaluationState {
  readonly variables: Activation
  readonly limit: number
  /** The variables of comprehensions, each at its own index. */
  readonly locals: (Value | undefined)[] = []
  cost = 0

  constructor(variables: Activation, limit: number) {
    this.variables = variables
    this.limit = limit
  }

  /** Stops the evaluation if it exceeds the cost limit. Called in every loop and wherever a value grows. */
  checkCost(): void {
    if (this.cost > this.limit) throw new CostLimitExceeded()
  }
}

/** Computes the value of a node and adds its cost to the frame. */
export type Step = (frame: EvaluationState) => Value

/** The plan of a node: a step, and its value if it is constant. */
export interface Plan {
  readonly step: Step
  readonly constant?: Value
}

/** Returns the plan of a constant value. */
export function constantPlan(value: Value): Plan {
  return { step: () => value, constant: value }
}

/** The state of one evaluation, and the steps that a plan is made of. */

import { CostLimitExceeded } from './budget.ts'
import { CelError, type Value } from './value.ts'

/** The variables' values by name: the declared ones that an expression may use. */
export type Activation = Readonly<Record<string, Value>>

/** What an evaluation gives that became too costly. */
export const COST_LIMIT_EXCEEDED = new CelError('operation cancelled: actual cost limit exceeded')

/** What is known of one evaluation while it runs. */
export class Frame {
  readonly variables: Activation
  readonly limit: number
  /** The variables of comprehensions, each at its own index. */
  readonly locals: (Value | undefined)[] = []
  cost = 0

  constructor(variables: Activation, limit: number) {
    this.variables = variables
    this.limit = limit
  }

  /** Ends the evaluation where it has cost too much: called wherever something repeats or grows. */
  checkCost(): void {
    if (this.cost > this.limit) throw new CostLimitExceeded()
  }
}

/** Computes the value of a node and adds what that cost. */
export type Step = (frame: Frame) => Value

/** What a node becomes: a step, and its value where that is known beforehand. */
export interface Plan {
  readonly step: Step
  readonly constant?: Value
}

/** The plan of a value that is known. */
export function constantPlan(value: Value): Plan {
  return { step: () => value, constant: value }
}

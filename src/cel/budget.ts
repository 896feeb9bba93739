/**
 * A limit for work that CEL's cost does not count: comparing and printing values with shared parts, replacing text by longer text,
 * matching regular expressions of many instructions. The current budget is global, because values do not know their evaluation;
 * evaluations are synchronous, so one ends before another begins.
 */

/** Stops an evaluation that exceeded its limit. */
export class CostLimitExceeded extends Error {}

/** The limit in steps of about 50 ns. */
const MAX_WORK = 5_000_000

/** The work that is left for one evaluation, or for all evaluations that serve one request. */
export class WorkBudget {
  left = MAX_WORK
}

let current = new WorkBudget()

/** Begins an evaluation. Its work counts against this budget: without one, against a new one. */
export function beginBudget(budget = new WorkBudget()): void {
  current = budget
}

/**
 * Counts steps.
 * @throws CostLimitExceeded if the limit is exceeded
 */
export function countSteps(steps: number): void {
  current.left -= steps
  if (current.left < 0) throw new CostLimitExceeded()
}

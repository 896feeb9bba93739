/**
 * A limit for work that CEL's cost does not count: comparing and printing values with shared parts, replacing text by longer
 * text. The counter is global, because values do not know their evaluation; evaluations are synchronous, so one ends before
 * another begins.
 */

/** Stops an evaluation that exceeded its limit. */
export class CostLimitExceeded extends Error {}

/** The limit in steps of about 50 ns. */
const MAX_WORK = 5_000_000

let left = MAX_WORK

/** Resets the counter. */
export function beginBudget(): void {
  left = MAX_WORK
}

/**
 * Counts steps.
 * @throws CostLimitExceeded if the limit is exceeded
 */
export function countSteps(steps: number): void {
  left -= steps
  if (left < 0) throw new CostLimitExceeded()
}

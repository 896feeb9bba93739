/**
 * A bound for what cost does not count: comparing and writing values that hold each other many times, replacing texts by longer ones.
 * The work of an evaluation is counted here, because values do not know for whom they work; evaluations never wait, so one ends before
 * another begins.
 */

/** Leaves an evaluation that became too costly. */
export class CostLimitExceeded extends Error {}

/** Steps of about 50 ns. */
const MAX_WORK = 5_000_000

let left = MAX_WORK

/** Begins to count anew. */
export function beginBudget(): void {
  left = MAX_WORK
}

/**
 * Counts so many steps.
 * @throws CostLimitExceeded where there have been too many
 */
export function spend(steps: number): void {
  left -= steps
  if (left < 0) throw new CostLimitExceeded()
}

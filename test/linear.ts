/** Tells work that grows with its input from work that grows with the square of it, on a machine of any speed and load. */

/** Eight times the input of linear work takes about eight times as long, of quadratic work 64 times. */
const factor = 8
const mostGrowth = 32
/** A machine that is busy now and then makes one measurement wrong, hardly all of them. */
const attempts = 6

function fastest(work: () => unknown): number {
  const times = [0, 1, 2].map(() => {
    const began = performance.now()
    work()
    return performance.now() - began
  })
  return Math.min(...times)
}

/**
 * Expects that the work grows no faster than its input.
 * @param prepare makes the work for an input of this size; its own time does not count
 * @throws Error if it grew faster in each of some attempts
 */
export function expectLinear(prepare: (size: number) => () => unknown, size: number): void {
  const [small, large] = [prepare(size), prepare(size * factor)]
  const growths: number[] = []
  for (let attempt = 0; attempt < attempts; attempt++) {
    const growth = fastest(large) / fastest(small)
    if (growth < mostGrowth) return
    growths.push(growth)
  }
  throw new Error(`${factor} times the input takes ${growths.map((growth) => growth.toFixed(1)).join(', ')} times as long`)
}

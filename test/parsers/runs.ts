/** The number of runs of properties: a short time, unless the environment requests more. */

const count = Number(process.env.PARSER_RUNS ?? 300)

export const runs = {
  numRuns: count,
  /** The timeout of the test in milliseconds. */
  timeout: Math.max(30_000, count * 20),
}

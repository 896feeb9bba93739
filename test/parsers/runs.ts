/** How long properties are tried: a moment, unless the environment asks for more. */

const count = Number(process.env.PARSER_RUNS ?? 300)
const seed = process.env.PARSER_SEED

export const runs = {
  numRuns: count,
  ...(seed !== undefined && { seed: Number(seed) }),
  /** Of the test, in milliseconds. */
  timeout: Math.max(30_000, count * 20),
}

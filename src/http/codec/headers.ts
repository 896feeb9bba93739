/** Headers that all answers share. */

/** Nothing may be kept of an answer, aggregated discovery excepted. */
export const noCache = { 'Cache-Control': 'no-cache, private' } as const

/** Headers that all responses share. */

/** Forbids caching of responses. Only aggregated discovery may be cached. */
export const noCache = { 'Cache-Control': 'no-cache, private' } as const

/** The Authorization header of a bearer token. */

/** Returns the token of `Bearer TOKEN` (the scheme in any case), else undefined. Text after a second space is ignored. */
export function bearerToken(header: string): string | undefined {
  const [scheme = '', token = ''] = header.trim().split(' ', 2)
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined
}

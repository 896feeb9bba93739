/** One request of the matrix. */
export interface Case {
  /** A name of the table of users, `anonymous`, or `admin`. */
  readonly user: string
  readonly method: string
  /** With its query, as it goes over the wire. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Text as it is, anything else as JSON. */
  readonly body?: unknown
  /** Tells requests apart that differ in their bodies alone. */
  readonly note?: string
  /** What an administrator deletes afterwards, where the request may leave something behind. */
  readonly undo?: string
}

/** Under which a case's answer is recorded. */
export function titleOf({ user, method, path, headers = {}, note }: Case): string {
  const said = Object.entries(headers).map(([name, value]) => `${name}=${typeof value === 'string' ? value : value.join('|')}`)
  return [user, method, path, ...said, ...(note === undefined ? [] : [`(${note})`])].join(' ')
}

/** One namespace in which the users have their rights, another in which they have none, and that of the users. */
export const own = 'matrix-own'
export const other = 'matrix-other'
export const home = 'matrix-users'

/** The API group of the custom kinds, and the version in it. */
export const customGroup = 'matrix.example.com'
export const custom = `/apis/${customGroup}/v1`

/** The methods that change, with a body for each where it takes one. */
export const mergePatch = { 'content-type': 'application/merge-patch+json' }
export const jsonPatch = { 'content-type': 'application/json-patch+json' }
export const strategicPatch = { 'content-type': 'application/strategic-merge-patch+json' }
export const applyPatch = { 'content-type': 'application/apply-patch+yaml' }

/** A path with `more` in its query. */
export const withQuery = (path: string, more: string): string => `${path}${path.includes('?') ? '&' : '?'}${more}`

/** A path of which nothing is kept. */
export const dryRun = (path: string): string => withQuery(path, 'dryRun=All')

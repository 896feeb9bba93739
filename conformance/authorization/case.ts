/** One request of the matrix. */
export interface Case {
  /** A name in the table of users, `anonymous`, or `admin`. */
  readonly user: string
  readonly method: string
  /** The path with its query, as it is sent. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Strings are sent unchanged, other values as JSON. */
  readonly body?: unknown
  /** Distinguishes requests that differ only in their bodies. */
  readonly note?: string
  /** A path that an administrator deletes afterwards, if the request may create an object. */
  readonly undo?: string
}

/** Returns the title under which a case's response is recorded. */
export function titleOf({ user, method, path, headers = {}, note }: Case): string {
  const headerTexts = Object.entries(headers).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : value.join('|')}`,
  )
  return [user, method, path, ...headerTexts, ...(note === undefined ? [] : [`(${note})`])].join(' ')
}

/** The namespace in which the users have permissions, one in which they have none, and the namespace of the users. */
export const own = 'matrix-own'
export const other = 'matrix-other'
export const home = 'matrix-users'

/** The API group and version of the custom kinds. */
export const customGroup = 'matrix.example.com'
export const custom = `/apis/${customGroup}/v1`

/** The content types of patches. */
export const mergePatch = { 'content-type': 'application/merge-patch+json' }
export const jsonPatch = { 'content-type': 'application/json-patch+json' }
export const strategicPatch = { 'content-type': 'application/strategic-merge-patch+json' }
export const applyPatch = { 'content-type': 'application/apply-patch+yaml' }

/** Adds `more` to the query of a path. */
export const withQuery = (path: string, more: string): string => `${path}${path.includes('?') ? '&' : '?'}${more}`

/** Returns a path with dryRun=All. */
export const dryRun = (path: string): string => withQuery(path, 'dryRun=All')

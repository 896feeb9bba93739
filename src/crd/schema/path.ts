/** Paths in messages. */

/** A path below another one. */
export const childPath = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)

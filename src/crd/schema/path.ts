/** Field paths in messages. */

/** Returns the path of a child. */
export const childPath = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)

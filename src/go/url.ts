/** Paths of URLs as Go's net/url has them. */

/** Encodes a path as URL.EscapedPath does. */
export const escapedPath = (path: string): string =>
  encodeURI(path).replace(/[!'()*#?]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

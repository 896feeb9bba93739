/**
 * Returns an object's own value under a key that a client has chosen; undefined for inherited properties such as `constructor`.
 */
export function ownValue<T>(object: { readonly [key: string]: T } | null | undefined, key: string): T | undefined {
  return object !== null && object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined
}

/**
 * The value that an object itself has under a key that a client has chosen: what every object inherits, such as `constructor`, is
 * none of it.
 */
export function ownValue<T>(object: { readonly [key: string]: T } | null | undefined, key: string): T | undefined {
  return object !== null && object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined
}

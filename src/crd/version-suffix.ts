/**
 * The version suffix: an apiVersion at the end of a stored custom resource whose resourceVersion does not determine its version.
 */

/** Matches the suffix. A field within an object cannot end in this way. */
const versionSuffix = /,"apiVersion":"[^"]*\/([^"/]*)"\}$/

/** The maximum length of a suffix in UTF-16 units, rounded up. */
const suffixUnits = 400

/** Returns the version in the suffix; undefined without a suffix. */
export const storedVersionOf = (value: string): string | undefined => versionSuffix.exec(value.slice(-suffixUnits))?.[1]

/** Adds the suffix, unless the value has one. */
export function withVersionSuffix(value: string, group: string, version: string): string {
  if (storedVersionOf(value) !== undefined) return value
  return `${value.slice(0, -1)},"apiVersion":${JSON.stringify(`${group}/${version}`)}}`
}

/** Removes the suffix, so that the value can be sent. */
export function withoutVersionSuffix(value: string): string {
  const suffix = value.endsWith('"}') ? versionSuffix.exec(value.slice(-suffixUnits)) : null
  return suffix === null ? value : `${value.slice(0, -suffix[0].length)}}`
}

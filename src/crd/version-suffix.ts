/** Stored custom resources that say in which version they are: an apiVersion stands at the end of their values. */

/** How such a value ends. Within an object nothing can end so. */
const versionSuffix = /,"apiVersion":"[^"]*\/([^"/]*)"\}$/

/** Longer than what it matches can be. */
const suffixUnits = 400

/** The version that the value says; undefined if it says none. */
export const storedVersionOf = (value: string): string | undefined => versionSuffix.exec(value.slice(-suffixUnits))?.[1]

/** The value with the version; one that says a version already stays as it is. */
export function withVersionSuffix(value: string, group: string, version: string): string {
  if (storedVersionOf(value) !== undefined) return value
  return `${value.slice(0, -1)},"apiVersion":${JSON.stringify(`${group}/${version}`)}}`
}

/** The value as it may be sent. */
export function withoutVersionSuffix(value: string): string {
  const suffix = value.endsWith('"}') ? versionSuffix.exec(value.slice(-suffixUnits)) : null
  return suffix === null ? value : `${value.slice(0, -suffix[0].length)}}`
}

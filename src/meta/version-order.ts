/** The stages of versions in ascending priority: clients prefer the first version of a group. */
const stages = ['alpha', 'beta', '']

/** Returns [stage, major, minor] of a version with a Kubernetes-like name. */
function parseVersion(version: string): readonly [number, bigint, bigint] | undefined {
  const found = /^v([0-9]+)(?:(alpha|beta)([0-9]+))?$/.exec(version)
  if (found === null) return undefined
  const [, major = '0', stage = '', minor = '0'] = found
  return [stages.indexOf(stage), BigInt(major), BigInt(minor)]
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Compares versions for sorting: v2, v1, v1beta2, v1alpha1, then other names alphabetically. Follows
 * CompareKubeAwareVersionStrings of apimachinery.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)]
  if (left === undefined || right === undefined)
    return Number(left === undefined) - Number(right === undefined) || compareText(a, b)
  if (left[0] !== right[0]) return right[0] - left[0]
  if (left[1] !== right[1]) return left[1] < right[1] ? 1 : -1
  return left[2] === right[2] ? 0 : left[2] < right[2] ? 1 : -1
}

/** In which order the versions of a group stand: clients take the first. */
const stages = ['alpha', 'beta', '']

/** [stage, major, minor] of a version that is named as Kubernetes names them. */
function parseVersion(version: string): readonly [number, bigint, bigint] | undefined {
  const found = /^v([0-9]+)(?:(alpha|beta)([0-9]+))?$/.exec(version)
  if (found === null) return undefined
  const [, major = '0', stage = '', minor = '0'] = found
  return [stages.indexOf(stage), BigInt(major), BigInt(minor)]
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Orders versions: v2, v1, v1beta2, v1alpha1, then names of other forms by the alphabet. Follows apimachinery's version helpers. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)]
  if (left === undefined || right === undefined)
    return Number(left === undefined) - Number(right === undefined) || compareText(a, b)
  if (left[0] !== right[0]) return right[0] - left[0]
  if (left[1] !== right[1]) return left[1] < right[1] ? 1 : -1
  return left[2] === right[2] ? 0 : left[2] < right[2] ? 1 : -1
}

/** The work of library functions: some take much longer than their cost says, which kube-apiserver computes for Go. */
import { countSteps } from './budget.ts'
import type { Value } from './value.ts'

/** The steps of a call, and of each character of its first argument. */
type Work = readonly [call: number, character: number]

const usual: Work = [2, 0]

const calls = (work: Work, ...names: readonly string[]): [string, Work][] => names.map((name) => [name, work])

const BY_FUNCTION: ReadonlyMap<string, Work> = new Map([
  ...calls([40, 12], 'url', 'isURL'),
  ...calls([40, 2], 'semver', 'isSemver'),
  ...calls([20, 1], 'quantity', 'isQuantity', 'timestamp', 'duration'),
  ...calls([20, 0], 'isGreaterThan', 'isLessThan', 'compareTo', 'add', 'sub', 'asInteger', 'asApproximateFloat'),
  ...calls([80, 1], 'ip', 'isIP', 'cidr', 'isCIDR', 'ip.isCanonical', 'containsIP', 'containsCIDR'),
  ...calls([200, 1], 'format', 'validate'),
  ...calls([60, 0], 'getFullYear', 'getMonth', 'getDayOfYear', 'getDayOfMonth', 'getDate', 'getDayOfWeek'),
  ...calls([60, 0], 'getHours', 'getMinutes', 'getSeconds', 'getMilliseconds'),
])

/** Returns a counter for the work of a function, to be called before it with its arguments. */
export function workOf(name: string): (args: readonly Value[]) => void {
  const [call, character] = BY_FUNCTION.get(name) ?? usual
  return ([first]) => countSteps(call + (typeof first === 'string' ? first.length * character : 0))
}

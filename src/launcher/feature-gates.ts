import { gatesLockedOff, gatesLockedOn, switchableGates } from './feature-gate-names.ts'
import { LauncherError } from './launcher-error.ts'

/** Go's words for true and false. */
const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((word) => [word, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((word) => [word, false] as const),
])

function readGate(entry: string): readonly [string, boolean] {
  const [, name = '', , word] = /^(?:kube:)?([^=]*)(=(.*))?$/.exec(entry.trim()) ?? []
  if (word === undefined) throw new LauncherError(`--feature-gates: missing bool value for ${name}.`)
  const value = booleans.get(word.trim())
  const unread = `strconv.ParseBool: parsing ${JSON.stringify(word)}: invalid syntax`
  if (value === undefined) throw new LauncherError(`--feature-gates: invalid value of ${name}=${word}, err: ${unread}.`)
  return [name, value]
}

function checkGate(name: string, value: boolean): void {
  const locked = gatesLockedOn.has(name) ? true : gatesLockedOff.has(name) ? false : undefined
  if (locked === undefined && !switchableGates.has(name))
    throw new LauncherError(`--feature-gates: unrecognized feature gate: ${name}.`)
  if (locked === undefined || locked === value) return
  throw new LauncherError(`--feature-gates: cannot set feature gate ${name} to ${value}, feature is locked to ${locked}.`)
}

/**
 * Reads the option `--feature-gates`: `NAME=true,NAME=false`, each perhaps with `kube:` in front.
 * @returns the same with plain names and values, as the setting FEATURE_GATES has it
 * @throws LauncherError in kube-apiserver's words if it is not a list of this release's gates
 */
export function readFeatureGates(list: string): string {
  const gates = list
    .split(',')
    .filter((entry) => entry.trim() !== '')
    .map(readGate)
  for (const [name, value] of gates) checkGate(name, value)
  return gates.map(([name, value]) => `${name}=${value}`).join(',')
}

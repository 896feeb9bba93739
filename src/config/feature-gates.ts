/**
 * The feature gates: one set per process, as component-base's DefaultFeatureGate. `--feature-gates` and the setting FEATURE_GATES
 * switch them before the first request.
 */
import { compareReleases, newestRelease, releaseText } from '../catalog/lifecycle.ts'
import type { Release } from '../schema/tables.ts'
import { gateIn } from './feature-gate-history.ts'
import { type FeatureStage, featureGates, type GateFacts, gateDependencies } from './feature-gate-table.ts'
import { minimumCompatibility } from './minimum-compatibility.ts'

/** Gates that switch all gates of a stage, except those that are named themselves. */
const stages: ReadonlyMap<string, FeatureStage> = new Map([
  ['AllAlpha', 'ALPHA'],
  ['AllBeta', 'BETA'],
])

/** Go's words for true and false. */
const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((word) => [word, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((word) => [word, false] as const),
])

/** Reads a boolean as Go does; undefined for other texts. */
export const readBoolean = (text: string): boolean | undefined => booleans.get(text)

type Values = ReadonlyMap<string, boolean>

const enabled = new Map<string, boolean>([...featureGates].map(([name, { isDefault }]) => [name, isDefault]))

/** Whether a feature is enabled. */
export const isEnabled = (gate: string): boolean => enabled.get(gate) === true

/** The release whose stages and defaults the gates have. */
let currentRelease = newestRelease

/** Returns the facts about a gate in a release; undefined if the release did not have it yet, or if it does not exist. */
const factsOf = (name: string, release: Release): GateFacts | undefined =>
  compareReleases(release, newestRelease) >= 0 ? featureGates.get(name) : gateIn(name, release)

/** Yields all gates with their stages, and whether they are enabled. Gates that the release did not have yet are left out. */
export function* gatesWithStages(): Generator<{ readonly name: string; readonly stage: FeatureStage; readonly isOn: boolean }> {
  for (const name of featureGates.keys()) {
    const facts = factsOf(name, currentRelease)
    if (facts !== undefined) yield { name, stage: facts.stage, isOn: enabled.get(name) === true }
  }
}

/** The component whose gates these are. Its name in front of a gate may be left out, in all entries or in none. */
const component = 'kube'

/** Returns an entry without the name of its component. @throws Error for another component */
function withoutComponent(entry: string): string {
  const [, name, rest = ''] = /^([^:=]*):(.*)$/.exec(entry) ?? []
  if (name === undefined) return entry
  if (name.trim() !== component) throw new Error(`component not registered: ${name.trim()}`)
  return rest
}

function readGate(entry: string): readonly [string, boolean] {
  const [, name = '', , word] = /^([^=]*)(=(.*))?$/.exec(withoutComponent(entry).trim()) ?? []
  if (word === undefined) throw new Error(`missing bool value for ${name.trim()}`)
  const value = readBoolean(word.trim())
  const unread = `strconv.ParseBool: parsing ${JSON.stringify(word.trim())}: invalid syntax`
  if (value === undefined) throw new Error(`invalid value of ${name.trim()}=${word.trim()}, err: ${unread}`)
  return [name.trim(), value]
}

/** Returns the value of every gate in a release. */
function valuesWith(requested: Values, release: Release): Values {
  const values = new Map<string, boolean>()
  for (const name of featureGates.keys()) {
    const { stage, isDefault, isLocked } = factsOf(name, release) ?? { stage: 'ALPHA', isDefault: false, isLocked: true }
    const all = [...stages].find(([, ofStage]) => ofStage === stage)?.[0] ?? ''
    values.set(name, requested.get(name) ?? (isLocked || stages.has(name) ? isDefault : (requested.get(all) ?? isDefault)))
  }
  return values
}

/** Returns the gates that are enabled without those on which they depend, each with a message. */
function brokenDependencies(values: Values): string[] {
  return Object.entries(gateDependencies).flatMap(([name, needed]) => {
    const missing = values.get(name) === true ? needed.filter((other) => values.get(other) !== true) : []
    const list = `[${missing.join(' ')}]`
    return missing.length === 0 ? [] : [`${name} is enabled, but depends on features that are disabled: ${list}`]
  })
}

/** The emulated release, which may have had other gates, and the oldest release whose components the server works with. */
export interface EmulatedVersion {
  readonly release: Release
  readonly minimumCompatibility: Release
}

const newest: EmulatedVersion = { release: newestRelease, minimumCompatibility: minimumCompatibility(newestRelease) }

/** Returns the reason why a gate cannot have a value in a release; undefined if it can. @throws Error if there is no such gate */
function refusalOf(name: string, value: boolean, { release, minimumCompatibility }: EmulatedVersion): string | undefined {
  if (!featureGates.has(name)) throw new Error(`unrecognized feature gate: ${name}`)
  const gate = factsOf(name, release)
  const set = `cannot set feature gate ${name} to ${value}, feature is`
  if (gate === undefined) {
    const compatible = releaseText(minimumCompatibility)
    return `${set} PreAlpha at emulated version ${releaseText(release)}, min compatibility version ${compatible}`
  }
  return gate.isLocked && gate.isDefault !== value ? `${set} locked to ${gate.isDefault}` : undefined
}

/**
 * Reads a list of gates: `NAME=true,NAME=false`, each perhaps with `kube:` in front.
 * @returns the values of the named gates
 * @throws Error in kube-apiserver's words for an unknown or locked gate, one without a boolean, or one whose dependencies are disabled
 */
export function readFeatureGates(list: string, version: EmulatedVersion = newest): ReadonlyMap<string, boolean> {
  const entries = list.split(',').filter((entry) => entry.trim() !== '')
  const prefixed = entries.filter((entry) => /^[^=]*:/.test(entry)).length
  if (prefixed > 0 && prefixed < entries.length) {
    throw new Error('set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use')
  }
  const requested = new Map(entries.map(readGate))
  const wrong = [...requested].flatMap(([name, value]) => refusalOf(name, value, version) ?? [])
  // The dependencies of older releases are not recorded.
  const isNewest = compareReleases(version.release, newestRelease) === 0
  const broken = wrong.length > 0 || !isNewest ? wrong : brokenDependencies(valuesWith(requested, version.release))
  if (broken.length > 0) throw new Error(broken.length === 1 ? broken[0] : `[${broken.join(', ')}]`)
  return requested
}

/** The stages of gates that have no future, in the words of warnings. */
const ending: Readonly<Partial<Record<FeatureStage, string>>> = { '': 'GA', DEPRECATED: 'deprecated' }

/**
 * Returns kube-apiserver's warnings for gates that a later release will not have.
 * @throws Error as readFeatureGates does
 */
export function gateWarnings(list: string, version: EmulatedVersion = newest): string[] {
  return [...readFeatureGates(list, version)].flatMap(([name, value]) => {
    const stage = ending[factsOf(name, version.release)?.stage ?? 'ALPHA']
    if (stage === undefined || stages.has(name)) return []
    const facts = `featureGate=${JSON.stringify(name)} value=${value}`
    return [`Warning: setting ${stage} feature gate. It will be removed in a future release. ${facts}`]
  })
}

/**
 * Switches gates, and all others to their values in the release.
 * @throws Error as readFeatureGates does
 */
export function switchFeatureGates(list: string, version: EmulatedVersion = newest): void {
  for (const [name, value] of valuesWith(readFeatureGates(list, version), version.release)) enabled.set(name, value)
  currentRelease = version.release
}

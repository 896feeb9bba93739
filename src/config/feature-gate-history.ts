/** The feature gates of the newest release, as they were in older ones. */
import { compareReleases, newestRelease } from '../catalog/lifecycle.ts'
import type { Release } from '../schema/tables.ts'
import { type FeatureStage, featureGates, type GateFacts } from './feature-gate-table.ts'
import recorded from './recorded-gates.json' with { type: 'json' }

const histories: Readonly<Record<string, string>> = recorded

/** Reads an entry such as `1.30 GA on locked`. */
function factsIn(entry: string): GateFacts & { readonly since: Release } {
  const [release = '', stage = '', state, lock] = entry.split(' ')
  const [major = 0, minor = 0] = release.split('.').map(Number)
  return {
    since: [major, minor],
    stage: stage === 'GA' ? '' : (stage as FeatureStage),
    isDefault: state === 'on',
    isLocked: lock === 'locked',
  }
}

/** Returns the facts about a gate in a release; undefined if the release did not have it yet, or if it does not exist. */
export function gateIn(name: string, release: Release): GateFacts | undefined {
  const now = featureGates.get(name)
  const history = Object.hasOwn(histories, name) ? histories[name] : undefined
  if (history === undefined || compareReleases(release, newestRelease) >= 0) return now
  return history
    .split(', ')
    .map(factsIn)
    .findLast(({ since }) => compareReleases(since, release) <= 0)
}

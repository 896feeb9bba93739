/** The check between two releases of Kubernetes, by the lifecycles of all API versions. */

import { compareReleases, newestRelease, releaseText } from '../catalog/lifecycle.ts'
import { lifecycleRows } from '../catalog/lifecycle-rows.ts'
import type { Release } from '../schema/tables.ts'
import { ReportCollector } from './collect.ts'
import { Removals } from './removals.ts'

/** Parses `1.25`, `v1.25` and `v1.25.3`. @throws RangeError for other texts */
function releaseIn(text: string): Release {
  const found = /^v?(\d{1,4})\.(\d{1,4})(?:[.+-].*)?$/.exec(text)
  if (found === null) throw new RangeError(`${JSON.stringify(text)} is no release such as 1.25`)
  return [Number(found[1]), Number(found[2])]
}

/**
 * Makes a collector for a migration.
 * @param to the newest release of the table if it is absent
 * @throws RangeError if a text is no release, or the later release comes first
 */
export function collectorBetween(from: string, to: string = releaseText(newestRelease)): ReportCollector {
  const [first, second] = [releaseIn(from), releaseIn(to)]
  if (compareReleases(first, second) > 0) throw new RangeError(`the release ${from} is later than ${to}`)
  return new ReportCollector(new Removals(lifecycleRows(), first, second))
}

/** The oldest release whose components a server works with. */
import { oldestRelease } from '../catalog/lifecycle.ts'
import type { Release } from '../schema/tables.ts'

/** Returns it for a server that emulates a release: the one before, if there is one. */
export function minimumCompatibility([major, minor]: Release): Release {
  return [major, Math.max(minor - 1, oldestRelease[1])]
}

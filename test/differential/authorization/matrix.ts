/** All requests of the matrix, by area. */
import { creating } from './areas/creating.ts'
import { credentials } from './areas/credentials.ts'
import { escalation } from './areas/escalation.ts'
import { impersonation } from './areas/impersonation.ts'
import { names } from './areas/names.ts'
import { otherPaths } from './areas/other-paths.ts'
import { places } from './areas/places.ts'
import { type Case, titleOf } from './case.ts'

/** Each request once, as what it is recorded under. */
function titled(cases: Iterable<Case>): ReadonlyMap<string, Case> {
  const found = new Map<string, Case>()
  for (const one of cases) {
    const title = titleOf(one)
    if (!found.has(title)) found.set(title, one)
  }
  return found
}

export const matrix: Readonly<Record<string, ReadonlyMap<string, Case>>> = {
  places: titled(places()),
  creating: titled(creating()),
  escalation: titled(escalation()),
  impersonation: titled(impersonation()),
  names: titled(names()),
  credentials: titled(credentials()),
  'other paths': titled(otherPaths()),
}

/** All requests of the matrix, by area. */
import { createHash } from 'node:crypto'
import { creating } from './areas/creating.ts'
import { credentials } from './areas/credentials.ts'
import { escalation } from './areas/escalation.ts'
import { impersonation } from './areas/impersonation.ts'
import { names } from './areas/names.ts'
import { otherPaths } from './areas/other-paths.ts'
import { places } from './areas/places.ts'
import { type Case, titleOf } from './case.ts'

/** Returns the requests by their titles. */
function titled(cases: Iterable<Case>): ReadonlyMap<string, Case> {
  const found = new Map<string, Case>()
  for (const one of cases) {
    const title = titleOf(one)
    if (!found.has(title)) found.set(title, one)
  }
  return found
}

/** A part of the matrix. */
export interface Area {
  readonly cases: ReadonlyMap<string, Case>
  /** Whether responses depend on earlier requests, so that the cases must be sent in order. */
  readonly inTurn: boolean
}

const anyOrder = (cases: Iterable<Case>): Area => ({ cases: titled(cases), inTurn: false })

export const matrix: Readonly<Record<string, Area>> = {
  places: anyOrder(places()),
  creating: anyOrder(creating()),
  escalation: anyOrder(escalation()),
  // The message of a refusal depends on the mode that last allowed the requestor.
  impersonation: { cases: titled(impersonation()), inTurn: true },
  names: anyOrder(names()),
  credentials: anyOrder(credentials()),
  'other paths': anyOrder(otherPaths()),
}

/** The sampling rate: one of this number of cases. */
const oneOf = 3

/** Returns a third of an area, always the same one; the whole area if its cases depend on each other. */
export function sampleOf(area: Area): Area {
  if (area.inTurn) return area
  const isTaken = (title: string): boolean => (createHash('sha256').update(title).digest()[0] ?? 0) % oneOf === 0
  return { ...area, cases: new Map([...area.cases].filter(([title]) => isTaken(title))) }
}

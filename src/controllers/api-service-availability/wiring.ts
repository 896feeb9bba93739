/**
 * The controller of the APIServices that name a Service. A server is asked after a change of its APIService, by alarm while it does
 * not answer, and when the cluster is used: without requests nobody is asked.
 */
import { apiServicePrefix } from '../../registry/policy/api-services.ts'
import type { ControlContext } from '../control-context.ts'
import type { Controller } from '../controller.ts'
import { availabilityQueue } from './availability.ts'
import { pauseAfter } from './reconcile.ts'

export const apiServiceAvailability: Controller<ControlContext> = {
  ...availabilityQueue,
  watches: [apiServicePrefix],
  // A server that does not answer takes long.
  workers: 16,
  pause: (attempt) => pauseAfter(attempt + 1),
  open: ({ apiServices }) => ({
    keys: (event) => apiServices.changed(event),
    missed: () => apiServices.missed(),
    reconcile: (name) => apiServices.check(name),
  }),
}

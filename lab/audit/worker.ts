/** The entry of the instrumented build: the Worker and the Durable Object classes of src/worker.ts, and counters around them. */
import type { Environment } from '../../src/config/environment.ts'
import server, { Collection as ServedCollection, Control as ServedControl } from '../../src/worker.ts'
import { instrumentEvents, instrumentGlobals, instrumentObject } from './instruments.ts'
import { count, Meter, reading } from './meters.ts'
import { readingPath } from './usage.ts'

instrumentGlobals()

/** Begins the construction of an object. */
function meterOf(state: DurableObjectState): Meter {
  instrumentObject(state)
  return new Meter(state)
}

export class Collection extends ServedCollection {
  constructor(state: DurableObjectState, environment: Environment) {
    const meter = meterOf(state)
    super(state, environment)
    meter.constructed(this)
  }
}

export class Control extends ServedControl {
  constructor(state: DurableObjectState, environment: Environment) {
    const meter = meterOf(state)
    super(state, environment)
    meter.constructed(this)
  }
}

for (const { prototype } of [Collection, Control]) instrumentEvents(prototype)

export default {
  fetch(request, environment, context): Response | Promise<Response> {
    if (new URL(request.url).pathname === readingPath) return Response.json(reading())
    count('workerRequests')
    return server.fetch(request, environment, context)
  },
} satisfies ExportedHandler<Environment>

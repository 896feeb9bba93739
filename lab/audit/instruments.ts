/**
 * Replaces the methods of the runtime that cause costs by ones that also count: SQL, key-value storage, alarms, timers, promises of
 * waitUntil, WebSockets without hibernation and the console.
 *
 * A Durable Object is billed while it cannot hibernate: while an event is in progress, a timer is set, a request of its own is not
 * answered, or a WebSocket is accepted without the hibernation API
 * (https://developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle/).
 */
import { count, countPath, currentMeter, type Meter, meterOfObject } from './meters.ts'

/** A method with its object as `this`. */
type Method = (this: unknown, ...given: unknown[]) => unknown

/** Replaces a method of a prototype once. */
function replace(prototype: object, name: string, make: (original: Method) => Method): void {
  const methods = prototype as Record<string, Method & { isInstrument?: boolean }>
  const original = methods[name]
  if (original === undefined || original.isInstrument === true) return
  methods[name] = Object.assign(make(original), { isInstrument: true })
}

/** Holds the current object until a promise is settled. */
function holdUntil(reason: string, promise: unknown): void {
  const release = currentMeter()?.hold(reason)
  if (release !== undefined) void Promise.resolve(promise).then(release, release)
}

/** The rows that the key-value methods read and write: they are billed as such. */
const rowsOfKeys: Readonly<Record<string, (result: unknown) => readonly ['rowsRead' | 'rowsWritten', number]>> = {
  get: () => ['rowsRead', 1],
  put: () => ['rowsWritten', 1],
  delete: () => ['rowsWritten', 1],
}

function instrumentKeys(prototype: object): void {
  for (const [name, rows] of Object.entries(rowsOfKeys)) {
    replace(prototype, name, (original) => {
      return function (...given) {
        const result = original.apply(this, given)
        count(...rows(result))
        return result
      }
    })
  }
}

/** Counts the rows of a list of the synchronous API, which is an iterable. */
function* counted(entries: Iterable<unknown>): Generator<unknown> {
  for (const entry of entries) {
    count('rowsRead')
    yield entry
  }
}

function instrumentStorage(storage: DurableObjectStorage): void {
  const prototype = Object.getPrototypeOf(storage) as object
  instrumentKeys(prototype)
  replace(prototype, 'list', (original) => {
    return async function (...given) {
      const found = (await original.apply(this, given)) as ReadonlyMap<string, unknown>
      count('rowsRead', found.size)
      return found
    }
  })
  replace(prototype, 'setAlarm', (original) => {
    return function (...given) {
      count('alarmsSet')
      currentMeter()?.alarmSet(Number(given[0]))
      return original.apply(this, given)
    }
  })
  replace(prototype, 'deleteAll', (original) => {
    return function (...given) {
      // It deletes the alarm, too.
      currentMeter()?.alarmGone()
      return original.apply(this, given)
    }
  })
  const keys = Object.getPrototypeOf(storage.kv) as object
  instrumentKeys(keys)
  replace(keys, 'list', (original) => {
    return function (...given) {
      return counted(original.apply(this, given) as Iterable<unknown>)
    }
  })
  replace(Object.getPrototypeOf(storage.sql) as object, 'exec', (original) => {
    return function (...given) {
      const cursor = original.apply(this, given) as SqlStorageCursor<never>
      currentMeter()?.executed(cursor)
      return cursor
    }
  })
}

/** Instruments the runtime's objects that a Durable Object gets. Call it before the object uses them. */
export function instrumentObject(state: DurableObjectState): void {
  instrumentStorage(state.storage)
  const prototype = Object.getPrototypeOf(state) as object
  replace(prototype, 'waitUntil', (original) => {
    return function (...given) {
      holdUntil('waitUntil', given[0])
      return original.apply(this, given)
    }
  })
  replace(prototype, 'blockConcurrencyWhile', (original) => {
    return function (...given) {
      const meter = currentMeter()
      const work = given[0] as () => Promise<unknown>
      return original.call(this, () => meter?.event('start', work) ?? work())
    }
  })
}

function instrumentTimers(): void {
  const scope = globalThis as unknown as Record<string, Method>
  const releases = new Map<unknown, () => void>()
  const end = (timer: unknown): void => {
    releases.get(timer)?.()
    releases.delete(timer)
  }
  replace(scope, 'setTimeout', (original) => {
    return (...[run, ...rest]) => {
      const release = currentMeter()?.hold('timer')
      if (release === undefined) return original.call(globalThis, run, ...rest)
      const timer = original.call(
        globalThis,
        (...values: unknown[]) => {
          end(timer)
          ;(run as Method).apply(undefined, values)
        },
        ...rest,
      )
      releases.set(timer, release)
      return timer
    }
  })
  replace(scope, 'setInterval', (original) => {
    return (...given) => {
      const release = currentMeter()?.hold('timer')
      const timer = original.apply(globalThis, given)
      if (release !== undefined) releases.set(timer, release)
      return timer
    }
  })
  for (const name of ['clearTimeout', 'clearInterval']) {
    replace(scope, name, (original) => {
      return (timer) => {
        end(timer)
        return original.call(globalThis, timer)
      }
    })
  }
}

function instrumentConnections(): void {
  replace(globalThis, 'fetch', (original) => {
    return (...given) => {
      const answer = original.apply(globalThis, given)
      holdUntil('own request', answer)
      return answer
    }
  })
  replace(WebSocket.prototype, 'accept', (original) => {
    return function (this: unknown, ...given) {
      const release = currentMeter()?.hold('socket without hibernation')
      if (release !== undefined) (this as WebSocket).addEventListener('close', release)
      return original.apply(this, given)
    }
  })
}

function instrumentConsole(): void {
  for (const name of ['debug', 'error', 'info', 'log', 'warn']) {
    replace(console, name, (original) => {
      return (...given) => {
        count('logEvents')
        count('logBytes', new TextEncoder().encode(given.map(String).join(' ')).length)
        return original.apply(console, given)
      }
    })
  }
}

/** Instruments the globals of the isolate. */
export function instrumentGlobals(): void {
  instrumentTimers()
  instrumentConnections()
  instrumentConsole()
}

/** Returns the class of an object's name and the path of a request: the verb of an operation, or the inner path. */
function pathOf({ name }: Meter, request: Request): string {
  const operation = request.headers.get('edgeplane-operation')
  const path = new URL(request.url).pathname.replace(/^\/v[0-9]+/, '')
  const verb = operation === null ? path : (JSON.parse(operation) as { verb: string }).verb
  return `${name.endsWith('/control') ? 'control' : 'collection'} ${verb}`
}

function countRequest(meter: Meter, request: Request): void {
  const path = pathOf(meter, request)
  countPath(path)
  count(path.endsWith(' /policy') ? 'policyRenewals' : 'objectRequests')
}

/** Returns the response with a body that holds the object until it has been read or cancelled. */
function held(meter: Meter, response: Response): Response {
  const { body } = response
  if (body === null || response.webSocket !== null) return response
  const release = meter.hold('response')
  const reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array>
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        meter.flush()
        release()
        controller.close()
      },
      async cancel(reason) {
        release()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(stream, response)
}

/** The events of Durable Objects that are billed as requests, with their counters. */
const events: Readonly<Record<string, (meter: Meter, given: readonly unknown[]) => void>> = {
  fetch: (meter, [request]) => countRequest(meter, request as Request),
  alarm: (meter) => {
    count('alarms')
    meter.alarmGone()
  },
  webSocketMessage: () => count('socketMessages'),
  webSocketClose: () => undefined,
  webSocketError: () => undefined,
}

/** Instruments the handlers of a class. */
export function instrumentEvents(prototype: object): void {
  for (const [name, counted] of Object.entries(events)) {
    replace(prototype, name, (original) => {
      return function (...given) {
        const meter = meterOfObject(this as object)
        counted(meter, given)
        return meter.event(name, async () => {
          const result = await original.apply(this, given)
          return result instanceof Response ? held(meter, result) : result
        })
      }
    })
  }
}

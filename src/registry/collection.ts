/** Performs operations in a collection's Durable Object and returns their results as responses to the Worker. */

import type { Kind } from '../catalog/kind.ts'
import { missingLookupsResponse } from '../clusters/lookups.ts'
import { type AdmissionOfOperation, type Operation, operationOf } from '../clusters/operation.ts'
import { errorResponse } from '../clusters/wire-error.ts'
import { resourceConfigOfText } from '../config/emulation.ts'
import { textBody } from '../encoding/body.ts'
import { showStored } from '../encoding/kind-views.ts'
import { ApiError, conflict, unknownResource } from '../meta/errors.ts'
import { freeBuffer } from '../meta/free-buffer.ts'
import { garbage } from '../meta/garbage.ts'
import { LookupResults, MissingLookups, resolveInObject, withLookups } from '../meta/lookups.ts'
import { waitIfLong } from '../meta/parts.ts'
import type { Stored } from '../storage/store.ts'
import { isLongWrite } from './apart.ts'
import { checkTarget } from './check-target.ts'
import { kindOfOperation } from './kind-of-operation.ts'
import { ReplayableNameGenerator } from './name-generator.ts'
import type { Registry } from './registry.ts'
import { sent } from './responses.ts'
import { keyOf } from './stored-object.ts'
import { viewOf } from './subresources/views.ts'
import { performVerb } from './verbs.ts'
import type { WatchSockets } from './watch-sockets.ts'

/** Returns the kind in the form that an operation means. */
const kindFor = (known: Kind, operation: Operation): Kind =>
  operation.unconverted === true ? known.asStored() : kindOfOperation(known, operation)

/**
 * Answers a read of one object without reading the storage or waiting.
 * @param stored returns what is durable and in memory
 * @returns undefined if the operation is another one, or the object is not in memory
 * @throws ApiError 400 and 406 for a form that the object does not have
 */
export function getFromMemory(
  registry: Registry,
  operation: Operation,
  stored: (key: string) => Stored | undefined,
): Response | undefined {
  if (operation.verb !== 'get' || !anyVersion.has(operation.resourceVersion) || operation.definition !== undefined)
    return undefined
  const { target, representation } = operation
  const known = registry.kindOf(target.group, target.version, target.resource)
  if (known === undefined || viewOf(known, target.subresource) !== undefined) return undefined
  const kind = kindFor(known, operation)
  const found = stored(keyOf(kind, target.namespace, target.name))
  if (found === undefined) return undefined
  registry.metrics?.operated(kind, 'get', 0, 'done')
  const body = textBody(`${showStored(kind, found.value, representation, registry.now)}\n`)
  registry.metrics?.read(kind, target, body)
  return sent(operation, 200, body)
}

/** The resourceVersions of a GET that any state satisfies. */
const anyVersion: ReadonlySet<string> = new Set(['', '0'])

/** The decoder of bodies. It keeps a byte order mark, which is a JSON syntax error. */
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })

function textOf(bytes: ArrayBuffer): string {
  const text = decoder.decode(bytes)
  garbage.handled(text)
  freeBuffer(bytes)
  return text
}

const writes: ReadonlySet<Operation['verb']> = new Set(['create', 'update', 'patch', 'apply', 'delete', 'evict'])

/** The registry of an operation that is retried if lookups are missing. */
interface Attempts {
  readonly registry: Registry
  /** Present for writes. */
  readonly names?: ReplayableNameGenerator
}

/** Returns the registry of an operation. All attempts of a write get the same lookup results, random values and time. */
function attemptsOf(registry: Registry, { verb, deadline, emulation, lookups: known, attempt }: Operation): Attempts {
  const timed: Registry = deadline === undefined ? registry : { ...registry, deadline }
  const own = emulation === undefined ? timed : { ...timed, resourceConfig: () => resourceConfigOfText(emulation) }
  if (!writes.has(verb)) return { registry: own }
  const names = new ReplayableNameGenerator(attempt?.names, registry.names)
  const now = attempt?.now ?? registry.now()
  return { registry: { ...own, lookups: new LookupResults(known), names, now: () => now }, names }
}

/** Returns the registry of an operation that policies or webhooks may match: it has their configuration. */
async function withAdmission(registry: Registry, { tag, ...request }: AdmissionOfOperation): Promise<Registry> {
  return { ...registry, admission: { configuration: await registry.admissionConfiguration(tag), ...request } }
}

/** Performs an operation, and retries it after this Durable Object has resolved missing lookups. */
function repeatedly<T>(
  { registry, names }: Attempts,
  kind: Kind,
  { target, deadline }: Operation,
  work: (registry: Registry) => Promise<T>,
): Promise<T> {
  // Only a webhook's conversion makes a read look something up.
  if (names === undefined && kind.conversion?.remote === undefined) return work(registry)
  const attempt = (): Promise<T> => {
    names?.rewind()
    return work(registry)
  }
  return withLookups(attempt, {
    resolve: (missing) => resolveInObject(registry.withOwnFacts?.(missing) ?? missing, registry.lookups),
    exhausted: () => conflict(kind, target.name, 'the object was modified again and again while facts about it were looked up'),
    deadline,
  })
}

/** Whether an error is a failure of the store, and not its answer to the client. */
const outcomeOf = (error: unknown): 'done' | 'failed' => (error instanceof ApiError && error.code < 500 ? 'done' : 'failed')

/**
 * Performs the operation of an inner request and returns its response. An ApiError and MissingLookups become responses that the
 * Worker decodes.
 * @param shared the dependencies of the verbs in this Durable Object
 * @param request a request made by `operationInit`: the operation in a header, the object or patch as the body
 * @param sockets accepts watches over WebSockets, if the Durable Object serves them
 * @param operation of the request, if the caller has read it already
 * @throws every error that is neither an ApiError nor MissingLookups
 * @example
 * const target = { group: '', version: 'v1', resource: 'pods', subresource: '', namespace: 'default', name: 'web' }
 * const request = new Request(collectionUrl, operationInit({ verb: 'get', target, resourceVersion: '' }))
 * const response = await performOperation(registry, request)
 */
export async function performOperation(
  shared: Registry,
  request: Request,
  sockets?: WatchSockets,
  operation = operationOf(request),
): Promise<Response> {
  const registry = operation.admission === undefined ? shared : await withAdmission(shared, operation.admission)
  const { group, version, resource } = operation.target
  const attempts = attemptsOf(registry, operation)
  const began = Date.now()
  let performed: Kind | undefined
  try {
    const known = registry.kindOf(group, version, resource)
    if (known === undefined) throw unknownResource()
    const kind = kindFor(known, operation)
    performed = kind
    checkTarget(kind, operation)
    const text = request.body === null ? '' : textOf(await request.arrayBuffer())
    await waitIfLong(text)
    const isLong = isLongWrite(text)
    const work = (own: Registry): Promise<Response> =>
      performVerb({ registry: isLong ? { ...own, isLongWrite: true } : own, kind, request, sockets }, operation, text)
    const response = await repeatedly(attempts, kind, operation, work)
    registry.metrics?.operated(kind, operation.verb, Date.now() - began, 'done')
    return response
  } catch (error) {
    if (error instanceof MissingLookups) {
      return missingLookupsResponse(error, { names: attempts.names?.drawn ?? {}, now: attempts.registry.now() })
    }
    if (performed !== undefined) registry.metrics?.operated(performed, operation.verb, Date.now() - began, outcomeOf(error))
    if (error instanceof ApiError) return errorResponse(error)
    throw error
  }
}

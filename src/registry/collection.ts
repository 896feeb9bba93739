/** Performs operations in a collection's Durable Object and returns their results as responses to the Worker. */

import type { Kind } from '../catalog/kind.ts'
import { missingLookupsResponse } from '../clusters/lookups.ts'
import {
  type AdmissionOfOperation,
  findingsHeader,
  largeHeader,
  type Operation,
  operationOf,
  type ProtobufMediaType,
  warningsHeader,
} from '../clusters/operation.ts'
import { errorResponse } from '../clusters/wire-error.ts'
import { resourceConfigOfText } from '../config/emulation.ts'
import { asciiJson } from '../go/text.ts'
import { ApiError, conflict, otherRelease, unknownResource } from '../meta/errors.ts'
import { freeBuffer } from '../meta/free-buffer.ts'
import { garbage } from '../meta/garbage.ts'
import { LookupResults, MissingLookups, resolveInObject, withLookups } from '../meta/lookups.ts'
import { waitIfLong } from '../meta/parts.ts'
import { boundWarnings } from '../meta/warnings.ts'
import type { Stored } from '../storage/store.ts'
import { isLongWrite } from './apart.ts'
import { apply } from './apply.ts'
import { checkTarget } from './check-target.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import { removeCollection } from './delete-collection.ts'
import { type Body, textBody } from './encoding/body.ts'
import { represent, representStored } from './encoding/representation.ts'
import { evaluateExistingPods } from './existing-pods.ts'
import { get } from './get.ts'
import { kindOfOperation } from './kind-of-operation.ts'
import { list } from './list/list.ts'
import { protobufList } from './list/protobuf.ts'
import { ReplayableNameGenerator } from './name-generator.ts'
import { patch } from './patch.ts'
import type { Registry, WriteResult } from './registry.ts'
import { keyOf } from './stored-object.ts'
import { bind } from './subresources/binding.ts'
import { disrupt } from './subresources/disruption.ts'
import { evict } from './subresources/eviction.ts'
import type { SubresourceView } from './subresources/view.ts'
import { getView, updateView } from './subresources/view.ts'
import { viewOf } from './subresources/views.ts'
import { update } from './update.ts'
import { watch } from './watch.ts'
import type { WatchSockets } from './watch-sockets.ts'

/**
 * Returns the headers that the client gets. The Worker passes a response on without a copy, unless it needs another
 * representation.
 */
const headersOf = ({ answerHeaders }: Operation, mediaType?: ProtobufMediaType): Record<string, string> => ({
  'content-type': mediaType ?? 'application/json',
  'cache-control': 'no-cache, private',
  ...answerHeaders,
})

function sent(
  operation: Operation,
  code: number,
  { content, large, mediaType }: Body,
  warnings: readonly string[] = [],
): Response {
  const headers = headersOf(operation, mediaType)
  if (warnings.length > 0) headers[warningsHeader] = asciiJson(JSON.stringify(boundWarnings(warnings)))
  if (large) headers[largeHeader] = '1'
  return new Response(content, { status: code, headers })
}

/**
 * Returns the text of a response with one object, in the representation that the operation asks for.
 * @throws ApiError with the warnings of the write: it has been committed, also if the representation does not fit
 */
function representedText(
  registry: Registry,
  kind: Kind,
  view: SubresourceView | undefined,
  { representation }: Operation,
  { text, stored, warnings = [], findings }: WriteResult,
): string {
  try {
    if (stored !== undefined) return representStored(kind, stored, representation, registry.now)
    return represent(view?.kind ?? kind, text, representation, registry.now, view?.printer)
  } catch (error) {
    if (error instanceof ApiError) error.warning(warnings).findings ??= findings
    throw error
  }
}

/** Returns the response with one object. */
function objectResponse(
  registry: Registry,
  kind: Kind,
  view: SubresourceView | undefined,
  operation: Operation,
  result: WriteResult,
): Response {
  const { code, warnings, findings } = result
  const body = textBody(`${representedText(registry, kind, view, operation, result)}\n`)
  if (operation.verb === 'get') registry.metrics?.read(kind, operation.target, body)
  const response = sent(operation, code, body, warnings)
  if (findings !== undefined) response.headers.set(findingsHeader, asciiJson(JSON.stringify(findings)))
  return response
}

async function perform(
  registry: Registry,
  kind: Kind,
  operation: Operation,
  request: Request,
  text: string,
  sockets: WatchSockets | undefined,
): Promise<Response> {
  const { target, representation } = operation
  const view = viewOf(kind, target.subresource)
  const answered = (result: WriteResult): Response => objectResponse(registry, kind, view, operation, result)
  switch (operation.verb) {
    case 'get':
      return answered(
        view === undefined
          ? await get(registry, kind, target, operation.resourceVersion)
          : await getView(view, registry, kind, target, operation.resourceVersion),
      )
    case 'list': {
      const body =
        operation.mediaType === undefined
          ? await list(registry, kind, target, operation.list, operation)
          : await protobufList(registry, kind, target, operation.list, representation)
      registry.metrics?.listed(kind, target, body)
      return sent(operation, 200, body)
    }
    case 'watch':
      if (sockets !== undefined && request.headers.get('upgrade') === 'websocket') return sockets.accept(kind, operation)
      return new Response(await watch(registry, kind, operation), { headers: headersOf(operation) })
    case 'create':
      return answered(await create({ registry, kind, target, write: operation.write }, { ...operation, text }))
    case 'update': {
      const request = { registry, kind, target, write: operation.write }
      return answered(await (view === undefined ? update(request, { ...operation, text }) : updateView(view, request, text)))
    }
    case 'patch':
      return answered(await patch({ registry, kind, target, write: operation.write }, { ...operation, text }))
    case 'apply':
      return answered(await apply({ registry, kind, target, write: operation.write }, { ...operation, text }))
    case 'delete':
      return answered(await remove({ ...operation, registry, kind, options: operation.delete }))
    case 'deletecollection': {
      const { body, warnings } = await removeCollection(registry, kind, operation)
      return sent(operation, 200, body, warnings)
    }
    case 'bind':
      return answered(await bind(registry, kind, target, operation.dryRun, text))
    case 'evict':
      return answered(await evict(registry, kind, target, operation))
    case 'disrupt':
      return answered(await disrupt(registry, kind, target, operation))
    case 'evaluatePods':
      return Response.json(await evaluateExistingPods(registry, kind, target.namespace, operation))
    default:
      throw otherRelease()
  }
}

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
  const body = textBody(`${representStored(kind, found.value, representation, registry.now)}\n`)
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
    const length = isLongWrite(text) ? ({ isLongWrite: true } as const) : {}
    const work = (own: Registry): Promise<Response> => perform({ ...own, ...length }, kind, operation, request, text, sockets)
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

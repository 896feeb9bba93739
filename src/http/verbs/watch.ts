/** GET of a collection's events. */
import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import type { WatchOperation } from '../../clusters/operation.ts'
import { bookmarksOf, encodings } from '../../encoding/encodings.ts'
import { badRequest, otherRelease } from '../../meta/errors.ts'
import { type FieldSelector, formatFieldSelector, requiredFieldValue, supportedFieldSelector } from '../../meta/field-selector.ts'
import { readListOptions } from '../../meta/list-options.ts'
import { negotiateStream, notAcceptable, type StreamOutput, textStreamTypes, viewRuleOf } from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { DEFAULT_BRIDGE_OPTIONS, type OpenWatch, WatchBridge } from '../watches/bridge.ts'
import { frameSplitter, lineSplitter } from '../watches/event-splitter.ts'
import { endAtFirstEvent } from '../watches/first-event.ts'
import { webSocketOf } from '../watches/websocket.ts'
import { agreedProtocol, handshakeRefusal, isWebSocketRequest } from '../websocket.ts'
import { answerFields } from './answer-fields.ts'

/** A watch without timeoutSeconds ends after a random time of 30 to 60 minutes, so that clients do not reconnect all at once. */
const minimumSeconds = 1800
/** The maximum of a timer: 24 days. */
const maximumSeconds = 2_000_000

/**
 * Streams the events of a collection, over a WebSocket if the request is its handshake. Follows serveWatchHandler of
 * k8s.io/apiserver/pkg/endpoints/handlers.
 * @throws ApiError 400, 406 and 422 before the collection is called, the errors of the collection, and 406 for YAML
 */
export async function watch(context: ResourceContext): Promise<Response> {
  const { services, request, query, kind, target } = context
  const output = negotiateStream(request, viewRuleOf(kind, ''))
  const { encoding } = output
  const options = readListOptions(query)
  const operation = {
    verb: 'watch',
    target,
    watch: {
      labelSelector: query.get('labelSelector') ?? '',
      fieldSelector: fieldSelectorOf(kind, options.fieldSelector, target.name),
      resourceVersion: options.resourceVersion,
      allowWatchBookmarks: options.allowWatchBookmarks,
      ...(options.sendInitialEvents !== undefined && { sendInitialEvents: options.sendInitialEvents }),
      timeoutSeconds: timeoutOf(options.timeoutSeconds),
    },
    ...answerFields(ofObjects(output), query),
  } as const
  if (isWebSocketRequest(request)) {
    if (encoding === encodings.cbor) throw notAcceptable(textStreamTypes)
    const events = await streamedEvents(context, operation, output)
    const refusal = handshakeRefusal(request)
    if (refusal !== undefined) {
      await events.cancel()
      return refusal
    }
    const protocol = agreedProtocol(request)
    const webSocket = webSocketOf(events, encoding === encodings.protobuf ? frameSplitter() : lineSplitter())
    const headers = protocol === undefined ? {} : { 'sec-websocket-protocol': protocol }
    return new Response(null, { status: 101, webSocket, headers })
  }
  const events = await streamedEvents(context, operation, output)
  return new Response(encoding.at.worker?.events?.(events) ?? events, {
    headers: {
      'content-type': encoding.stream ?? encoding.mediaType,
      'cache-control': 'no-cache, private',
      ...services.watchHeaders,
    },
  })
}

/** The kinds for bookmarks. A custom resource's bookmark is the same in each of its versions. */
const kinds = { kindOf, now: Date.now }

/** Returns the view of the objects in events, if the request asks for the view of a list. */
function ofObjects(output: StreamOutput): StreamOutput {
  const { view } = output
  return view?.as === 'PartialObjectMetadataList' ? { ...output, view: { ...view, as: 'PartialObjectMetadata' } } : output
}

/** Returns the encoded events of a watch. @throws ApiError 406 for events that cannot be streamed, after the errors of the watch */
async function streamedEvents(
  context: ResourceContext,
  operation: WatchOperation,
  { refusal, view }: StreamOutput,
): Promise<ReadableStream<Uint8Array>> {
  const events = await eventsOf(context, operation)
  if (refusal !== undefined) {
    await events.cancel()
    throw refusal
  }
  return view?.as === 'PartialObjectMetadataList' ? endAtFirstEvent(events) : events
}

/** Returns the encoded events of a watch. */
async function eventsOf(
  { client, services, kind }: ResourceContext,
  operation: WatchOperation,
): Promise<ReadableStream<Uint8Array>> {
  if (services.watches === 'streams') {
    const { body } = await client.perform(kind, operation)
    return body ?? Promise.reject(otherRelease())
  }
  const open: OpenWatch = (sent) => client.openSocket(kind, sent)
  return WatchBridge.begin(open, operation, () => bookmarksOf(kinds, kind, operation), DEFAULT_BRIDGE_OPTIONS)
}

/**
 * Returns the duration of a watch in seconds. Go has nanoseconds in 64 bits: a value that overflows is negative and ends at once.
 */
function timeoutOf(timeoutSeconds = 0): number {
  const seconds = Number(BigInt.asIntN(64, BigInt(timeoutSeconds) * 1_000_000_000n)) / 1e9
  if (seconds === 0) return Math.round(minimumSeconds * (1 + Math.random()))
  return Math.min(Math.max(0, seconds), maximumSeconds)
}

/**
 * Returns the field selector. The watch of a single object's path is a watch with its name as field selector.
 * @throws ApiError 400 for unsupported fields, and for a selector with another name
 */
function fieldSelectorOf(kind: Kind, requested: FieldSelector, name: string): string {
  const selector = supportedFieldSelector(requested, kind.codec.fieldLabels())
  if (name === '') return formatFieldSelector(requested)
  if (selector.terms.length === 0) return formatFieldSelector({ terms: [{ field: 'metadata.name', operator: '=', value: name }] })
  if (requiredFieldValue(selector, 'metadata.name') !== name) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name")
  }
  return formatFieldSelector(requested)
}

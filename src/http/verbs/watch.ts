/** GET of a collection's events. */
import type { Kind } from '../../catalog/kind.ts'
import { protobufMediaType } from '../../clusters/operation.ts'
import { badRequest } from '../../meta/errors.ts'
import { type FieldSelector, formatFieldSelector, requiredFieldValue, supportedFieldSelector } from '../../meta/field-selector.ts'
import { readListOptions } from '../../meta/list-options.ts'
import { cborEvents } from '../codec/cbor.ts'
import {
  cborMediaType,
  cborSequence,
  type MediaType,
  negotiateStream,
  notAcceptable,
  objectTransformOf,
  textStreamTypes,
} from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { agreedProtocol, isWebSocketRequest } from '../websocket.ts'
import { shownAs } from './representation.ts'

/** A watch without timeoutSeconds ends after a random time of 30 to 60 minutes, so that clients do not reconnect all at once. */
const minimumSeconds = 1800
/** The maximum of a timer: 24 days. */
const maximumSeconds = 2_000_000

/** The Content-Type of the response. */
const streamTypes: Readonly<Record<MediaType, string>> = {
  'application/json': 'application/json',
  'application/yaml': 'application/yaml',
  [protobufMediaType]: `${protobufMediaType};stream=watch`,
  [cborMediaType]: cborSequence,
}

export async function watch(context: ResourceContext): Promise<Response> {
  const { client, services, request, query, kind, target } = context
  const output = negotiateStream(request, objectTransformOf(kind))
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
    ...shownAs(output, query),
  } as const
  if (isWebSocketRequest(request)) {
    if (output.mediaType === cborMediaType) throw notAcceptable(textStreamTypes)
    const protocol = agreedProtocol(request)
    const { webSocket } = await client.openSocket(kind, operation)
    const headers = protocol === undefined ? {} : { 'sec-websocket-protocol': protocol }
    return new Response(null, { status: 101, webSocket, headers })
  }
  const inner = await client.perform(kind, operation)
  const isCbor = output.mediaType === cborMediaType && inner.body !== null
  return new Response(isCbor ? cborEvents(inner.body) : inner.body, {
    headers: {
      'content-type': streamTypes[output.mediaType],
      'cache-control': 'no-cache, private',
      ...services.watchHeaders,
    },
  })
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

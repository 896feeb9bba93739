/** GET of a collection's changes, as they come. */
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

/** A watch without timeoutSeconds ends after 30 to 60 minutes, at random, so that clients do not all come back at once. */
const minimumSeconds = 1800
/** Timers take no more: 24 days. */
const maximumSeconds = 2_000_000

/** What the answer says it is. */
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

/** How long a watch lasts. Go counts nanoseconds in 64 bits: what does not fit is negative, and over at once. */
function timeoutOf(asked = 0): number {
  const seconds = Number(BigInt.asIntN(64, BigInt(asked) * 1_000_000_000n)) / 1e9
  if (seconds === 0) return Math.round(minimumSeconds * (1 + Math.random()))
  return Math.min(Math.max(0, seconds), maximumSeconds)
}

/**
 * The watch of one object by its path is a watch of its name.
 * @throws ApiError 400 for fields that the kind does not support, and for a selector that asks for another name
 */
function fieldSelectorOf(kind: Kind, asked: FieldSelector, name: string): string {
  const selector = supportedFieldSelector(asked, kind.codec.fieldLabels())
  if (name === '') return formatFieldSelector(asked)
  if (selector.terms.length === 0) return formatFieldSelector({ terms: [{ field: 'metadata.name', operator: '=', value: name }] })
  if (requiredFieldValue(selector, 'metadata.name') !== name) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name")
  }
  return formatFieldSelector(asked)
}

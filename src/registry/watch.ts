/** watch: the changes of a collection after a version, as a stream of JSON lines. */
import type { Kind } from '../catalog/kind.ts'
import type { Representation, Target, WatchOptions } from '../clusters/operation.ts'
import { ApiError } from '../meta/errors.ts'
import { readResourceVersion } from '../meta/resource-version.ts'
import { encoderOf, type FormEncoder } from './event-encoder.ts'
import type { Registry } from './registry.ts'
import { formOf } from './representation.ts'
import { type Selected, select } from './selection.ts'
import { waitForResourceVersion } from './versions.ts'

const bytes = new TextEncoder()
const initialPageRows = 100

/** The state at a version as ADDED events, page by page. */
function* initialEvents(
  registry: Registry,
  encoder: FormEncoder,
  selected: Selected,
  resourceVersion: number,
  end: boolean,
): Generator<Uint8Array> {
  let writes = encoder
  for (let after = ''; ; ) {
    const { prefix, marks } = selected
    const page = registry.store.list({ prefix, after, limit: initialPageRows, resourceVersion, marks })
    for (const item of page.items) {
      if (selected.key !== undefined && item.key !== selected.key) continue
      if (!(selected.matches?.(item) ?? true)) continue
      yield writes.encode('ADDED', item)
      writes = encoder.following ?? encoder
    }
    if (!page.more) break
    after = page.items.at(-1)?.key ?? after
  }
  if (end) yield writes.initialEventsEnd(resourceVersion)
}

/** A watch made ready. */
export interface WatchStart {
  readonly selected: Selected
  readonly encoder: FormEncoder
  /** Events after this version are shown; one that has not come yet is waited for without a word. */
  readonly resourceVersion: number
  /** What comes before them: nothing, the state as ADDED, or the state and the bookmark that says so. */
  readonly initial: 'nothing' | 'state' | 'state and its end'
}

/**
 * Where a watch begins: the table of "Semantics for watch" of the API concepts, and KEP-3157.
 * @throws ApiError 400 for selectors, 500 for a malformed version, 504 if the initial state is to be of one that does not come
 */
export async function startWatch(
  registry: Registry,
  kind: Kind,
  target: Target,
  options: WatchOptions,
  representation: Representation | undefined,
): Promise<WatchStart> {
  const selected = select(kind, target, options)
  const asked = readResourceVersion(options.resourceVersion)
  const { sendInitialEvents, allowWatchBookmarks } = options
  const encoder = encoderOf(registry, kind, formOf(kind, representation, 'object', registry.now))
  if (sendInitialEvents ?? asked === 0n) {
    if (sendInitialEvents === true) await waitForResourceVersion(registry.store, asked)
    const initial = sendInitialEvents === true && allowWatchBookmarks ? 'state and its end' : 'state'
    return { selected, encoder, resourceVersion: registry.store.resourceVersion, initial }
  }
  return { selected, encoder, resourceVersion: asked === 0n ? registry.store.resourceVersion : Number(asked), initial: 'nothing' }
}

/**
 * @throws ApiError 400 for selectors and options of a Table, 406 for a form that events do not have, 500 for a malformed version; a version that is too old or does not come becomes an ERROR event
 */
export async function watch(
  registry: Registry,
  kind: Kind,
  target: Target,
  options: WatchOptions,
  representation: Representation | undefined,
): Promise<ReadableStream<Uint8Array>> {
  try {
    const { selected, encoder, resourceVersion, initial } = await startWatch(registry, kind, target, options, representation)
    return registry.store.watch({
      prefix: selected.prefix,
      ...(selected.key !== undefined && { key: selected.key }),
      resourceVersion,
      ...(selected.matches !== undefined && { matches: selected.matches }),
      encoder,
      // Of a version that has not come, nobody can say that all up to it was sent.
      bookmarks: options.allowWatchBookmarks && resourceVersion <= registry.store.resourceVersion,
      timeoutMilliseconds: options.timeoutSeconds * 1000,
      ...(initial !== 'nothing' && {
        first: initialEvents(registry, encoder, selected, resourceVersion, initial === 'state and its end'),
      }),
    })
  } catch (error) {
    if (isErrorEvent(error)) return errorStream(error)
    throw error
  }
}

/** Whether kube-apiserver tells of an error within the stream: what the versions come to, when all else was right. */
export function isErrorEvent(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.code === 410 || error.code === 504)
}

/** The ERROR event that tells why a watch does not go on. */
export function errorEvent(error: ApiError): Uint8Array {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: error.message,
    reason: error.reason,
    ...(error.details !== undefined && { details: error.details }),
    code: error.code,
  }
  return bytes.encode(`{"type":"ERROR","object":${JSON.stringify(status)}}\n`)
}

/** A stream that tells only why there is none: the answer itself is a 200, as kube-apiserver's is. */
function errorStream(error: ApiError): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(errorEvent(error))
      controller.close()
    },
  })
}

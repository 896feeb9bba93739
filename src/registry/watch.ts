/** watch: the changes of a collection after a version, as a stream of JSON lines. */
import type { Kind } from '../catalog/kind.ts'
import type { Representation, Target, WatchOptions } from '../clusters/operation.ts'
import { ApiError } from '../meta/errors.ts'
import { readResourceVersion } from '../meta/resource-version.ts'
import { encoderOf, type FormEncoder } from './event-encoder.ts'
import type { Registry } from './registry.ts'
import { formOf } from './representation.ts'
import { type Selected, select } from './selection.ts'
import { tooLargeResourceVersion } from './versions.ts'

const bytes = new TextEncoder()
const initialPageRows = 500
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
    const page = registry.store.list({ prefix: selected.prefix, after, limit: initialPageRows, resourceVersion })
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

/**
 * @throws ApiError 400 for selectors and options of a Table, 406 for a form that events do not have, 500 for a malformed version; a version that is too old or has not come becomes an ERROR event
 */
export function watch(
  registry: Registry,
  kind: Kind,
  target: Target,
  options: WatchOptions,
  representation: Representation | undefined,
): ReadableStream<Uint8Array> {
  const selected = select(kind, target, options)
  const { store } = registry
  const asked = Number(readResourceVersion(options.resourceVersion))
  if (asked > store.resourceVersion) return errorEvent(tooLargeResourceVersion(asked, store.resourceVersion))
  const encoder = encoderOf(registry, kind, formOf(kind, representation, 'object', registry.now))
  const resourceVersion = options.sendInitialEvents || asked === 0 ? store.resourceVersion : asked
  try {
    return store.watch({
      prefix: selected.prefix,
      ...(selected.key !== undefined && { key: selected.key }),
      resourceVersion,
      ...(selected.matches !== undefined && { matches: selected.matches }),
      encoder,
      bookmarks: options.allowWatchBookmarks,
      timeoutMilliseconds: options.timeoutSeconds * 1000,
      ...(options.sendInitialEvents && {
        first: initialEvents(registry, encoder, selected, resourceVersion, options.allowWatchBookmarks),
      }),
    })
  } catch (error) {
    if (error instanceof ApiError && error.code === 410) return errorEvent(error)
    throw error
  }
}

/** A stream that tells only why there is none: the answer itself is a 200, as kube-apiserver's is. */
function errorEvent(error: ApiError): ReadableStream<Uint8Array> {
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
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.encode(`{"type":"ERROR","object":${JSON.stringify(status)}}\n`))
      controller.close()
    },
  })
}

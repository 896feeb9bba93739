/** watch: the changes of a collection after a version, as a stream of JSON lines. */
import type { Kind } from '../catalog/kind.ts'
import type { Target, WatchOptions } from '../clusters/operation.ts'
import { ApiError } from '../meta/errors.ts'
import { readResourceVersion } from '../meta/resource-version.ts'
import type { EventEncoder, EventType, Stored } from '../storage/store.ts'
import type { Registry } from './registry.ts'
import { type Selected, select } from './selection.ts'
import { shownValue } from './stored-object.ts'
import { tooLargeResourceVersion } from './versions.ts'

const bytes = new TextEncoder()
const initialPageRows = 500
const heartbeat = bytes.encode('\n')
const encoders = new WeakMap<Kind, EventEncoder>()

/** How events of a kind are written: made once, so that watchers share the chunks. */
function encoderOf(kind: Kind): EventEncoder {
  let encoder = encoders.get(kind)
  if (encoder === undefined) {
    const object = (value: string): string => `${kind.prologue}${shownValue(kind, value).slice(1)}`
    encoder = {
      name: `${kind.apiVersion}/${kind.resource} json`,
      encode: (type: EventType, stored: Stored) => bytes.encode(`{"type":"${type}","object":${object(stored.value)}}\n`),
      bookmark: (resourceVersion) => bookmark(kind, resourceVersion, ''),
      heartbeat: () => heartbeat,
    }
    encoders.set(kind, encoder)
  }
  return encoder
}

function bookmark(kind: Kind, resourceVersion: number, annotations: string): Uint8Array {
  const metadata = `{"resourceVersion":"${resourceVersion}"${annotations}}`
  return bytes.encode(`{"type":"BOOKMARK","object":${kind.prologue}"metadata":${metadata}}}\n`)
}

/** The state at a version as ADDED events, page by page. */
function* initialEvents(
  registry: Registry,
  kind: Kind,
  selected: Selected,
  resourceVersion: number,
  end: boolean,
): Generator<Uint8Array> {
  const encoder = encoderOf(kind)
  for (let after = ''; ; ) {
    const { prefix, marks } = selected
    const page = registry.store.list({ prefix, after, limit: initialPageRows, resourceVersion, marks })
    for (const item of page.items) {
      if (selected.key !== undefined && item.key !== selected.key) continue
      if (selected.matches?.(item) ?? true) yield encoder.encode('ADDED', item)
    }
    if (!page.more) break
    after = page.items.at(-1)?.key ?? after
  }
  if (end) yield bookmark(kind, resourceVersion, ',"annotations":{"k8s.io/initial-events-end":"true"}')
}

/**
 * @throws ApiError 400 for selectors, 500 for a malformed version; a version that is too old or has not come becomes an ERROR event
 */
export function watch(registry: Registry, kind: Kind, target: Target, options: WatchOptions): ReadableStream<Uint8Array> {
  const selected = select(kind, target, options)
  const { store } = registry
  const asked = Number(readResourceVersion(options.resourceVersion))
  if (asked > store.resourceVersion) return errorEvent(tooLargeResourceVersion(asked, store.resourceVersion))
  const resourceVersion = options.sendInitialEvents || asked === 0 ? store.resourceVersion : asked
  try {
    return store.watch({
      prefix: selected.prefix,
      ...(selected.key !== undefined && { key: selected.key }),
      resourceVersion,
      ...(selected.matches !== undefined && { matches: selected.matches }),
      encoder: encoderOf(kind),
      bookmarks: options.allowWatchBookmarks,
      timeoutMilliseconds: options.timeoutSeconds * 1000,
      ...(options.sendInitialEvents && {
        first: initialEvents(registry, kind, selected, resourceVersion, options.allowWatchBookmarks),
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

/** The verbs that a collection's Durable Object performs. */
import type { Kind } from '../catalog/kind.ts'
import type { Operation } from '../clusters/operation.ts'
import { otherRelease } from '../meta/errors.ts'
import { apply } from './apply.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import { removeCollection } from './delete-collection.ts'
import { evaluateExistingPods } from './existing-pods.ts'
import { get } from './get.ts'
import { list } from './list/list.ts'
import { patch } from './patch.ts'
import type { Registry, WriteResult } from './registry.ts'
import { headersOf, objectResponse, sent } from './responses.ts'
import { bind } from './subresources/binding.ts'
import { disrupt } from './subresources/disruption.ts'
import { evict } from './subresources/eviction.ts'
import { getView, updateView } from './subresources/view.ts'
import { viewOf } from './subresources/views.ts'
import { update } from './update.ts'
import { watch } from './watch.ts'
import type { WatchSockets } from './watch-sockets.ts'

/** An attempt of an operation. */
export interface OperationScope {
  readonly registry: Registry
  readonly kind: Kind
  /** The inner request; a watch may be its WebSocket. */
  readonly request: Request
  /** Accepts watches over WebSockets, if the Durable Object serves them. */
  readonly sockets: WatchSockets | undefined
}

type Verb = Operation['verb']
type Of<V extends Verb> = Extract<Operation, { readonly verb: V }>

/** Performs an operation of one verb. `text` is the body: an object, a patch, or ''. */
type Perform<V extends Verb, Answer> = (scope: OperationScope, operation: Of<V>, text: string) => Promise<Answer>
type Verbs = { readonly [V in Verb]: Perform<V, Response> }

/** Returns the verb that responds with one object. */
const withObject =
  <V extends Verb>(perform: Perform<V, WriteResult>): Perform<V, Response> =>
  async (scope, operation, text) => {
    const { registry, kind } = scope
    const result = await perform(scope, operation, text)
    return objectResponse(registry, kind, viewOf(kind, operation.target.subresource), operation, result)
  }

const verbs: Verbs = {
  get: withObject<'get'>(({ registry, kind }, { target, resourceVersion }) => {
    const view = viewOf(kind, target.subresource)
    if (view === undefined) return get(registry, kind, target, resourceVersion)
    return getView(view, registry, kind, target, resourceVersion)
  }),
  list: async ({ registry, kind }, operation) => {
    const { target } = operation
    const body = await list(registry, kind, target, operation.list, operation)
    registry.metrics?.listed(kind, target, body)
    return sent(operation, 200, body)
  },
  watch: async ({ registry, kind, request, sockets }, operation) => {
    if (sockets !== undefined && request.headers.get('upgrade') === 'websocket') return sockets.accept(kind, operation)
    return new Response(await watch(registry, kind, operation), { headers: headersOf(operation) })
  },
  create: withObject<'create'>(({ registry, kind }, { target, write, ...sent }, text) =>
    create({ registry, kind, target, write }, { ...sent, text }),
  ),
  update: withObject<'update'>(({ registry, kind }, { target, write, ...sent }, text) => {
    const view = viewOf(kind, target.subresource)
    const request = { registry, kind, target, write }
    return view === undefined ? update(request, { ...sent, text }) : updateView(view, request, text)
  }),
  patch: withObject<'patch'>(({ registry, kind }, { target, write, ...sent }, text) =>
    patch({ registry, kind, target, write }, { ...sent, text }),
  ),
  apply: withObject<'apply'>(({ registry, kind }, { target, write, ...sent }, text) =>
    apply({ registry, kind, target, write }, { ...sent, text }),
  ),
  delete: withObject<'delete'>(({ registry, kind }, operation) =>
    remove({ ...operation, registry, kind, options: operation.delete }),
  ),
  deletecollection: async ({ registry, kind }, operation) => {
    const { body, warnings } = await removeCollection(registry, kind, operation)
    return sent(operation, 200, body, warnings)
  },
  bind: withObject<'bind'>(({ registry, kind }, { target, dryRun }, text) => bind(registry, kind, target, dryRun, text)),
  evict: withObject<'evict'>(({ registry, kind }, operation) => evict(registry, kind, operation.target, operation)),
  disrupt: withObject<'disrupt'>(({ registry, kind }, operation) => disrupt(registry, kind, operation.target, operation)),
  evaluatePods: async ({ registry, kind }, operation) =>
    Response.json(await evaluateExistingPods(registry, kind, operation.target.namespace, operation)),
}

const performAs = <V extends Verb>(verb: V, scope: OperationScope, operation: Of<V>, text: string): Promise<Response> =>
  verbs[verb](scope, operation, text)

/**
 * Performs an operation.
 * @param text the body: an object, a patch, or ''
 * @throws ApiError of the verb, and for a verb that only another release knows; MissingLookups
 */
export async function performVerb(scope: OperationScope, operation: Operation, text: string): Promise<Response> {
  if (!Object.hasOwn(verbs, operation.verb)) throw otherRelease()
  return performAs(operation.verb, scope, operation, text)
}

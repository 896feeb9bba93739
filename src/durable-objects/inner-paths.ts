/**
 * The inner paths of Durable Objects, by which the Worker and other objects call them. Operations on a collection are answered before
 * these routes: they are nearly all requests, and their path is one text to compare.
 */
import { HonoBase } from 'hono/hono-base'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { tokenKeyPaths } from '../auth/service-accounts/token-keys.ts'
import { type ControlMetrics, metricsPath, type ObjectMetrics } from '../clusters/collection-metrics.ts'
import { deletedAccountsPath } from '../clusters/policy.ts'
import { protocolPath, unknownRequest } from '../clusters/protocol.ts'
import { garbageCollectorPath } from '../controllers/garbage-collector/messages.ts'
import type { QuotaControl, ReserveMessage, UsageAnswer, UsageQuestion } from '../controllers/resource-quota/messages.ts'
import { quotaPaths } from '../controllers/resource-quota/remote-control.ts'
import type { JsonObject } from '../go/json-value.ts'

/** The functions behind the inner paths of every object with a store. */
export interface StorePaths {
  /** Handles a message of another collection's garbage collector. */
  readonly receive: (message: Request) => Promise<Response>
  readonly metrics: () => Promise<ObjectMetrics>
  /** Counts the use of quotas by the object's own objects. */
  readonly usage: (question: UsageQuestion) => Promise<UsageAnswer>
}

/** The further functions of a cluster's control object. */
export interface ControlPaths extends StorePaths {
  readonly metrics: () => Promise<ControlMetrics>
  /** Returns the parts of the policy snapshot that the caller does not have. */
  readonly policy: (known: URLSearchParams) => Promise<Response>
  /** Handles a report that ServiceAccounts have been deleted. */
  readonly accountsDeleted: () => Promise<Response>
  /** Returns the admission configuration. */
  readonly admission: () => Promise<Response>
  /** Registers a collection that holds objects. Returns the LimitedRanges of the collection. */
  readonly register: (collection: string) => Promise<Response>
  readonly quotas: QuotaControl
  /** Resolves when the storage has responded. */
  readonly health: () => Promise<Response>
  /** Returns a CustomResourceDefinition by name, or by group and kind. */
  readonly definition: (which: URLSearchParams) => Promise<Response>
  /** Signs the claims of a ServiceAccount token. */
  readonly signToken: (claims: JsonObject) => Promise<string>
  /** Returns the public keys of ServiceAccount tokens. */
  readonly tokenKeys: () => Promise<object>
}

/**
 * An app of inner paths. Its bindings are the object that handles the request, so one app serves all objects of a class in an
 * isolate.
 */
export type InnerPaths<Paths extends StorePaths> = HonoBase<{ Bindings: Paths }>

const query = ({ url }: Request): URLSearchParams => new URL(url).searchParams

/**
 * Makes the paths of every object with a store. Any other path belongs to another release. Errors are rethrown unchanged, because the caller needs the properties that the
 * runtime sets on them.
 */
export function storePaths<Paths extends StorePaths>(): InnerPaths<Paths> {
  const app: InnerPaths<Paths> = new HonoBase<{ Bindings: Paths }>({ router: new RegExpRouter() }).basePath(protocolPath)
  app.post(garbageCollectorPath, (c) => c.env.receive(c.req.raw))
  app.get(metricsPath, async (c) => Response.json(await c.env.metrics()))
  app.post(quotaPaths.usage, async (c) => Response.json(await c.env.usage((await c.req.raw.json()) as UsageQuestion)))
  app.notFound(unknownRequest)
  app.onError((error) => {
    throw error
  })
  return app
}

/** Makes the paths of control objects. */
export function controlPaths(): InnerPaths<ControlPaths> {
  const app = storePaths<ControlPaths>()
  app.get('/policy', (c) => c.env.policy(query(c.req.raw)))
  app.post(deletedAccountsPath, (c) => c.env.accountsDeleted())
  app.get('/admission', (c) => c.env.admission())
  app.post('/collections', async (c) => c.env.register(await c.req.raw.text()))
  app.post(quotaPaths.reserve, async (c) => Response.json(await c.env.quotas.reserve((await c.req.raw.json()) as ReserveMessage)))
  app.post(quotaPaths.release, async (c) => {
    await c.env.quotas.release((await c.req.raw.json()) as number)
    return new Response(null, { status: 204 })
  })
  app.post(quotaPaths.recount, async (c) =>
    Response.json(await c.env.quotas.recount((await c.req.raw.json()) as readonly string[])),
  )
  app.get('/health', (c) => c.env.health())
  app.get('/definition', (c) => c.env.definition(query(c.req.raw)))
  app.post(tokenKeyPaths.sign, async (c) => new Response(await c.env.signToken((await c.req.raw.json()) as JsonObject)))
  app.get(tokenKeyPaths.keys, async (c) => Response.json(await c.env.tokenKeys()))
  return app
}

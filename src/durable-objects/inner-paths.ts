/**
 * The inner paths of Durable Objects, by which the Worker and other objects call them. Operations on a collection are answered before
 * these routes: they are nearly all requests, and their path is one text to compare.
 */
import { HonoBase } from 'hono/hono-base'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { forwardPath } from '../auth/front-proxy/forwarding.ts'
import { tokenKeyPaths } from '../auth/service-accounts/token-keys.ts'
import { changedServicesPath, type ServiceName } from '../clusters/api-services.ts'
import {
  backupPaths,
  type FillContents,
  type FinishRestore,
  type RaiseVersion,
  type RecoverStorage,
} from '../clusters/backup-messages.ts'
import { clusterNamesPath } from '../clusters/cluster-names.ts'
import {
  type ClusterReport,
  clusterRecordPath,
  clusterReportPath,
  type UseAnswer,
  type UseReport,
  usePath,
} from '../clusters/cluster-terms.ts'
import { type ControlMetrics, metricsPath, type ObjectMetrics } from '../clusters/collection-metrics.ts'
import { senderOf } from '../clusters/crossing-messages.ts'
import { type DeprecatedRequests, deprecatedRequestsPath } from '../clusters/deprecated-requests.ts'
import {
  type ChangedHistory,
  type Fork,
  type ForkIdentity,
  type ForkProgress,
  forkPaths,
  type KeptHistory,
  type NewFork,
} from '../clusters/fork-messages.ts'
import { type Signpost, signpostPath } from '../clusters/jurisdiction.ts'
import { deletedAccountsPath } from '../clusters/policy-messages.ts'
import { alarmPath, protocolPath, unknownRequest, watchesPath } from '../clusters/protocol.ts'
import { errorResponse } from '../clusters/wire-error.ts'
import type { WantedCluster } from '../controllers/cluster/record.ts'
import { garbageCollectorPath } from '../controllers/garbage-collector/messages.ts'
import { registrationPath } from '../controllers/namespace/collections.ts'
import type { QuotaControl, ReserveMessage, UsageAnswer, UsageQuestion } from '../controllers/resource-quota/messages.ts'
import { quotaPaths } from '../controllers/resource-quota/remote-control.ts'
import type { JsonObject } from '../go/json-value.ts'
import { ApiError } from '../meta/errors.ts'
import type { Backup } from './backup/backup.ts'
import type { Restoration } from './backup/restore.ts'
import type { ForkHolds } from './fork-holds.ts'
import type { Past } from './past.ts'
import type { RequestRecord } from './request-record.ts'

/** The functions behind the inner paths of every object with a store. */
export interface StorePaths {
  /** Handles a message of another collection's garbage collector. */
  readonly receive: (message: Request) => Promise<Response>
  readonly metrics: () => Promise<ObjectMetrics>
  /** Sends a request to another API server, over a connection that is kept. */
  readonly forward: (request: Request) => Promise<Response>
  readonly backup: Backup
  readonly restoration: Restoration
  /** Counts the use of quotas by the object's own objects. */
  readonly usage: (question: UsageQuestion) => Promise<UsageAnswer>
  /** Deletes all data of the object, because its cluster is deleted. */
  readonly deleteAll: () => Promise<Response>
  /** Runs the work of the alarm that is due: a test has moved the clock. */
  readonly runAlarm: () => Promise<void>
  /** Handles a report about a named cluster, for the holder of the Cluster objects. */
  readonly reportCluster: (report: ClusterReport) => Promise<void>
  /** Returns those of the names that are names of Cluster objects. */
  readonly clusterNames: (names: readonly string[]) => readonly string[]
  /** Ends the watches of the keys with this prefix. */
  readonly endWatches: (prefix: string) => void
  /** Revokes the registration of a collection for a namespace that is being deleted. */
  readonly revokeRegistration: (namespace: string) => void
  /** Answers forks of the cluster. */
  readonly past: Past
  /** Handles the message that other history has to be kept. */
  readonly historyChanged: (message: ChangedHistory) => Promise<void>
  /** Rejects with ApiError 403 unless this cluster has agreed to a fork, which has still to copy these collections. */
  readonly requireAgreement: (fork: ForkIdentity, prefixes: readonly string[]) => Promise<void>
  /** Throws ApiError 403 unless a cluster is this one, or the one of which it is a fork. */
  readonly requireParent: (cluster: string) => void
  /** Copies collections that are still to be copied from another cluster; all of them without a list. */
  readonly copy: (prefixes?: readonly string[]) => Promise<void>
}

/** The further functions of a cluster's control object. */
export interface ControlPaths extends StorePaths {
  readonly metrics: () => Promise<ControlMetrics>
  /** Returns the parts of the policy snapshot that the caller does not have, or the answer to a read that came with the request. */
  readonly policy: (request: Request) => Promise<Response>
  /** Handles a report that ServiceAccounts have been deleted. */
  readonly accountsDeleted: () => Promise<Response>
  /** Returns the admission configuration. */
  readonly admission: () => Promise<Response>
  /** Registers a collection that is to hold objects. Returns a RegistrationAnswer. */
  readonly register: (collection: string) => Promise<Response>
  /** Replaces the contents of the cluster by the lines that wait. */
  readonly finishRestore: (wanted: FinishRestore) => Promise<Response>
  readonly quotas: QuotaControl
  readonly requestRecord: RequestRecord
  /** Resolves when the storage has responded. */
  readonly health: () => Promise<Response>
  /** Returns a CustomResourceDefinition by name, or by group and kind. */
  readonly definition: (which: URLSearchParams) => Promise<Response>
  /** Handles a report that the Service of an APIService, or its endpoints, have changed. */
  readonly serviceChanged: (service: ServiceName) => Response
  /** Signs the claims of a ServiceAccount token. */
  readonly signToken: (claims: JsonObject) => Promise<string>
  /** Returns the public keys of ServiceAccount tokens. */
  readonly tokenKeys: () => Promise<object>
  /** The history that forks of the cluster need. */
  readonly holds: ForkHolds
  /** Returns the fork if a collection of it is still to be copied. */
  readonly originOf: (prefix: string) => Fork | undefined
  /** Records that a collection of a fork has been copied. */
  readonly copied: (prefix: string) => void
  /** Handles a report about the usage of one of the cluster's objects. */
  readonly objectUse: (report: UseReport) => UseAnswer
  /** Makes a named cluster, or deletes it. */
  readonly setCluster: (wanted: WantedCluster) => Promise<Response>
  /** Lets an object outside of the cluster's jurisdiction tell clients about it. */
  readonly setSignpost: (signpost: Signpost) => Promise<Response>
}

/**
 * An app of inner paths. Its bindings are the object that handles the request, so one app serves all objects of a class in an
 * isolate.
 */
export type InnerPaths<Paths extends StorePaths> = HonoBase<{ Bindings: Paths }>

/** The path of all data of an object. */
export const dataPath = '/data'

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
  app.all(forwardPath, (c) => c.env.forward(c.req.raw))
  addBackupPaths(app)
  app.delete(dataPath, (c) => c.env.deleteAll())
  app.post(alarmPath, async (c) => {
    await c.env.runAlarm()
    return new Response(null, { status: 204 })
  })
  app.post(clusterReportPath, async (c) => {
    const report = (await c.req.raw.json()) as ClusterReport
    // A cluster reports about itself alone.
    if (report.name === senderOf(c.req.raw)) await c.env.reportCluster(report)
    return new Response(null, { status: 204 })
  })
  app.post(clusterNamesPath, async (c) => Response.json(c.env.clusterNames((await c.req.raw.json()) as readonly string[])))
  app.delete(watchesPath, (c) => {
    c.env.endWatches(query(c.req.raw).get('prefix') ?? '')
    return new Response(null, { status: 204 })
  })
  app.delete(registrationPath, (c) => {
    c.env.revokeRegistration(query(c.req.raw).get('namespace') ?? '')
    return new Response(null, { status: 204 })
  })
  addPastPaths(app)
  app.post(forkPaths.keptChanged, async (c) => {
    await c.env.historyChanged((await c.req.raw.json()) as ChangedHistory)
    return new Response(null, { status: 204 })
  })
  app.notFound(unknownRequest)
  app.onError((error) => {
    throw error
  })
  return app
}

/** Performs a request, and answers an ApiError so that the Worker can rethrow it. */
async function answering(perform: () => Promise<Response>): Promise<Response> {
  try {
    return await perform()
  } catch (error) {
    if (error instanceof ApiError) return errorResponse(error)
    throw error
  }
}

/** Adds the paths of backups. */
function addBackupPaths<Paths extends StorePaths>(app: InnerPaths<Paths>): void {
  const { read, state, lines, staged, empty, fill, hold, recover, raise } = backupPaths
  const idOf = (request: Request): string => query(request).get('id') ?? ''
  app.get(read, (c) => answering(() => c.env.backup.read()))
  app.get(state, async (c) => Response.json(await c.env.restoration.state()))
  app.post(lines, (c) =>
    answering(async () => {
      const clusters = query(c.req.raw).get('clusters') === 'unsigned' ? 'unsigned' : 'signed'
      return c.env.restoration.stage(idOf(c.req.raw), await c.req.raw.text(), clusters)
    }),
  )
  app.post(staged, (c) => Response.json(c.env.restoration.staged(idOf(c.req.raw))))
  app.post(empty, (c) => answering(() => c.env.restoration.empty(idOf(c.req.raw))))
  app.post(fill, (c) => answering(async () => c.env.restoration.fill((await c.req.raw.json()) as FillContents)))
  app.post(hold, (c) => answering(async () => c.env.restoration.hold((await c.req.raw.json()) as readonly string[])))
  app.post(recover, (c) => answering(async () => c.env.restoration.recover((await c.req.raw.json()) as RecoverStorage)))
  app.post(raise, (c) => answering(async () => c.env.restoration.raise((await c.req.raw.json()) as RaiseVersion)))
}

/** Adds the paths by which forks read the past, and complete their copies. */
function addPastPaths<Paths extends StorePaths>(app: InnerPaths<Paths>): void {
  const { past, pastObject, pastObjects, complete } = forkPaths
  /** Returns the collections that a fork may read. If this cluster is itself a fork, they are copied here before. */
  const prefixesOf = async (env: Paths, request: Request): Promise<readonly string[]> => {
    const parameters = query(request)
    const prefixes = parameters.getAll('prefix')
    await env.requireAgreement({ uid: parameters.get('uid') ?? '', cluster: senderOf(request) ?? '' }, prefixes)
    await env.copy(prefixes)
    return prefixes
  }
  app.get(past, (c) =>
    answering(async () => {
      const parameters = query(c.req.raw)
      return Response.json(await c.env.past.state(await prefixesOf(c.env, c.req.raw), Number(parameters.get('time'))))
    }),
  )
  app.get(pastObject, (c) =>
    answering(async () => {
      const parameters = query(c.req.raw)
      const [prefix] = await prefixesOf(c.env, c.req.raw)
      const key = parameters.get('key') ?? ''
      const found = key.startsWith(`${prefix}/`) ? c.env.past.object(key, Number(parameters.get('version'))) : undefined
      return found === undefined ? new Response(null, { status: 204 }) : Response.json(found)
    }),
  )
  app.get(pastObjects, (c) =>
    answering(async () => {
      const parameters = query(c.req.raw)
      const prefixes = await prefixesOf(c.env, c.req.raw)
      return new Response(c.env.past.objects(prefixes, Number(parameters.get('version')), parameters.get('after') ?? ''))
    }),
  )
  app.post(complete, (c) =>
    answering(async () => {
      c.env.requireParent(senderOf(c.req.raw) ?? '')
      await c.env.copy()
      return new Response(null, { status: 204 })
    }),
  )
}

/** Makes the paths of control objects. */
export function controlPaths(): InnerPaths<ControlPaths> {
  const app = storePaths<ControlPaths>()
  app.get('/policy', (c) => c.env.policy(c.req.raw))
  app.post(backupPaths.finish, (c) => answering(async () => c.env.finishRestore((await c.req.raw.json()) as FinishRestore)))
  app.post(deletedAccountsPath, (c) => c.env.accountsDeleted())
  app.get('/admission', (c) => c.env.admission())
  app.post(registrationPath, async (c) => c.env.register(await c.req.raw.text()))
  app.post(quotaPaths.reserve, async (c) => Response.json(await c.env.quotas.reserve((await c.req.raw.json()) as ReserveMessage)))
  app.post(quotaPaths.release, async (c) => {
    await c.env.quotas.release((await c.req.raw.json()) as number)
    return new Response(null, { status: 204 })
  })
  app.post(quotaPaths.recount, async (c) =>
    Response.json(await c.env.quotas.recount((await c.req.raw.json()) as readonly string[])),
  )
  app.post(deprecatedRequestsPath, async (c) => {
    c.env.requestRecord.add((await c.req.raw.json()) as readonly DeprecatedRequests[], Date.now())
    return new Response(null, { status: 204 })
  })
  app.get(deprecatedRequestsPath, (c) => Response.json(c.env.requestRecord.entries()))
  app.get('/health', (c) => c.env.health())
  app.get('/definition', (c) => c.env.definition(query(c.req.raw)))
  app.post(changedServicesPath, async (c) => c.env.serviceChanged((await c.req.raw.json()) as ServiceName))
  app.post(tokenKeyPaths.sign, async (c) => new Response(await c.env.signToken((await c.req.raw.json()) as JsonObject)))
  app.post(forkPaths.hold, (c) =>
    answering(async () => Response.json(await c.env.holds.hold((await c.req.raw.json()) as NewFork))),
  )
  app.post(forkPaths.progress, async (c) => {
    c.env.holds.progress((await c.req.raw.json()) as ForkProgress, senderOf(c.req.raw) ?? '')
    return new Response(null, { status: 204 })
  })
  app.get(forkPaths.agreement, (c) =>
    answering(async () => {
      const parameters = query(c.req.raw)
      const fork = { uid: parameters.get('uid') ?? '', cluster: parameters.get('cluster') ?? '' }
      c.env.holds.requireAgreement(fork, parameters.getAll('prefix'))
      return new Response(null, { status: 204 })
    }),
  )
  app.get(forkPaths.kept, (c) => {
    const { holds } = c.env
    const parameters = query(c.req.raw)
    const prefix = parameters.get('prefix') ?? ''
    const kept: KeptHistory = parameters.has('relies') ? holds.answer(prefix) : { from: holds.keptFrom(prefix) }
    return Response.json(kept)
  })
  app.get(forkPaths.origin, (c) => {
    const origin = c.env.originOf(query(c.req.raw).get('prefix') ?? '')
    return origin === undefined ? new Response(null, { status: 204 }) : Response.json(origin)
  })
  app.post(forkPaths.copied, (c) => {
    c.env.copied(query(c.req.raw).get('prefix') ?? '')
    return new Response(null, { status: 204 })
  })
  app.put(clusterRecordPath, async (c) => c.env.setCluster((await c.req.raw.json()) as WantedCluster))
  app.put(signpostPath, async (c) => c.env.setSignpost((await c.req.raw.json()) as Signpost))
  app.post(usePath, async (c) => Response.json(c.env.objectUse((await c.req.raw.json()) as UseReport)))
  app.get(tokenKeyPaths.keys, async (c) => Response.json(await c.env.tokenKeys()))
  return app
}

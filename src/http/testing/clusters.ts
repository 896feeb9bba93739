/**
 * The paths by which a test controls its clusters: makes and deletes them, moves their clocks, injects faults and reads requests.
 * docs/testing.md describes them.
 */

import { HonoBase } from 'hono/hono-base'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { ClusterCredentials } from '../../auth/cluster-credentials.ts'
import { mastersGroup } from '../../auth/user.ts'
import { clustersPath, isClusterName } from '../../clusters/cluster-path.ts'
import type { WantedCluster } from '../../clusters/cluster-terms.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { controlProtocol } from '../../clusters/control-protocol.ts'
import { type Message, send } from '../../clusters/message.ts'
import { objectProtocol } from '../../clusters/object-protocol.ts'
import { defaultCluster, prefixOfCollection } from '../../clusters/placement.ts'
import { repeated, withHeaders } from '../../clusters/protocol.ts'
import { ofDeployment } from '../../clusters/senders.ts'
import { kubeconfigOf } from '../../controllers/cluster/kubeconfig.ts'
import { parseDuration } from '../../go/duration.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { badRequest, forbidden, unknownResource } from '../../meta/errors.ts'
import { newUid } from '../../meta/uid.ts'
import type { ClustersUnderTest, ClusterUnderTest } from '../../testing/clusters.ts'
import { readFaultRule } from '../../testing/faults.ts'
import type { HttpEnvironment, RequestContext } from '../filters/filter.ts'
import { testingPath } from './path.ts'

/** The dependencies of the paths. */
export interface TestingServices {
  readonly clusters: ClustersUnderTest
  readonly clientOf: (cluster: string) => CollectionClient
  /** Forgets what the Worker knows of a cluster. */
  readonly forget: (cluster: string) => void
  readonly adminToken: string
  /** `host:port` at which clients reach the server. */
  readonly serverAddress: string
  /** The CA certificate of the server, PEM. */
  readonly rootCertificate: string
}

/** The longest body, in characters. */
const longestBody = 65_536

async function bodyOf(request: Request): Promise<JsonObject> {
  const text = await request.text()
  if (text.length > longestBody) throw badRequest(`the body is longer than ${longestBody} characters`)
  if (text === '') return {}
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as JsonObject
  } catch {
    // The body is not JSON.
  }
  throw badRequest('the body must be a JSON object')
}

/** Parses a time in RFC 3339, in milliseconds since the epoch. @throws ApiError 400 */
function timeOf(text: unknown): number {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw badRequest('now: must be a time such as 2030-01-31T12:00:00Z')
  return time
}

/** Checks a truth value; undefined if it is absent. @throws ApiError 400 */
function isTrue(field: string, value: unknown): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value
  throw badRequest(`${field}: must be true or false`)
}

/** Parses a duration such as 1h30m, or a number of milliseconds. @throws ApiError 400 */
function millisecondsOf(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  try {
    if (typeof value === 'string') return Number(parseDuration(value) / 1_000_000n)
  } catch {
    // The text is no duration.
  }
  throw badRequest('advance: must be a duration such as 1h30m, or a number of milliseconds')
}

/** Tells the control object of a cluster its uid; '' deletes the cluster. */
function record(client: CollectionClient, uid: string): Promise<void> {
  const wanted: WantedCluster = { uid, placement: 'one-object' }
  return repeated(async () => {
    await send(withHeaders(client.control(), ofDeployment), controlProtocol.setCluster, wanted)
  })
}

/** Makes a cluster. It has no Cluster object. */
async function make(services: TestingServices, body: JsonObject): Promise<Response> {
  const { clusters, adminToken, serverAddress, rootCertificate } = services
  const { name = `test-${newUid().slice(0, 8)}`, seed, now, frozen } = body
  if (typeof name !== 'string' || !isClusterName(name) || name === defaultCluster) {
    throw badRequest('name: must be a DNS label other than "default"')
  }
  if (seed !== undefined && !Number.isSafeInteger(seed)) throw badRequest('seed: must be a whole number')
  const began = now === undefined ? undefined : timeOf(now)
  const isFrozen = isTrue('frozen', frozen)
  services.forget(name)
  const state = clusters.of(name)
  // A clock that goes on would be a millisecond later when it is stopped.
  if (isFrozen === true) state.clock.freeze()
  if (began !== undefined) state.clock.begin(began)
  if (seed !== undefined) state.seed(Number(seed))
  const uid = newUid()
  const client = services.clientOf(name)
  await record(client, uid)
  const token = new ClusterCredentials(adminToken).sign({ cluster: name, uid })
  const server = `https://${serverAddress || 'localhost'}${clustersPath}${name}`
  const kubeconfig = kubeconfigOf({ cluster: name, server, rootCertificate, token })
  return Response.json({ name, server, token, certificateAuthority: rootCertificate, kubeconfig }, { status: 201 })
}

async function remove({ clientOf, forget }: TestingServices, name: string): Promise<Response> {
  if (name === defaultCluster) throw badRequest('the default cluster cannot be deleted')
  await record(clientOf(name), '')
  forget(name)
  return new Response(null, { status: 204 })
}

/** Sends a message to the control object, and then to all other Durable Objects of a cluster. */
async function sendToAll<Question>(
  client: CollectionClient,
  message: Message<Question, void>,
  question: Question,
): Promise<void> {
  const control = client.control()
  await send(control, message, question)
  const { collections } = await send(control, controlProtocol.metrics)
  await Promise.all(collections.map(({ group, resource }) => send(client.collection(group, resource), message, question)))
}

const clockResponse = ({ clock }: ClusterUnderTest): Response =>
  Response.json({ now: new Date(clock.now()).toISOString(), frozen: clock.isFrozen })

/** Stops the clock or lets it go on; moves it, and runs the work that is due then. */
async function setClock(client: CollectionClient, state: ClusterUnderTest, body: JsonObject): Promise<Response> {
  const { clock } = state
  const { now, advance, frozen } = body
  const isFrozen = isTrue('frozen', frozen)
  if (isFrozen === true) clock.freeze()
  if (now !== undefined) clock.advanceTo(timeOf(now))
  if (advance !== undefined) clock.advanceTo(clock.now() + millisecondsOf(advance))
  if (isFrozen === false) clock.unfreeze()
  if (now !== undefined || advance !== undefined) await sendToAll(client, objectProtocol.runAlarm, undefined)
  return clockResponse(state)
}

/** Ends the open watches of a resource, or all of the cluster. */
async function closeWatches(client: CollectionClient, { group = '', resource }: JsonObject): Promise<Response> {
  const prefix = resource === undefined ? '' : `${prefixOfCollection(String(group), String(resource))}/`
  await sendToAll(client, objectProtocol.endWatches, { prefix })
  return new Response(null, { status: 204 })
}

const clusterPath = `${testingPath}/clusters/:name`

type Handle = (state: ClusterUnderTest, client: CollectionClient, body: JsonObject) => Promise<Response> | Response

/** The paths of one cluster, by method and last part. */
const handlers: Readonly<Record<string, Handle>> = {
  'GET requests': ({ requests }) => Response.json(requests.list()),
  'DELETE requests': ({ requests }) => {
    requests.clear()
    return new Response(null, { status: 204 })
  },
  'GET clock': clockResponse,
  'PUT clock': (state, client, body) => setClock(client, state, body),
  'GET faults': ({ faults }) => Response.json({ faults: faults.list() }),
  'POST faults': ({ faults }, _client, body) => Response.json(faults.add(readFaultRule(body)), { status: 201 }),
  'DELETE faults': ({ faults }) => {
    faults.clear()
    return new Response(null, { status: 204 })
  },
  'DELETE watches': (_state, client, body) => closeWatches(client, body),
}

/** @throws ApiError 403 unless the sender is an administrator of the default cluster, whatever the authorizers allow */
function requireMaster(c: RequestContext): void {
  const user = c.get('user')
  if (!user.groups.includes(mastersGroup))
    throw forbidden({ group: '', resource: '' }, '', 'tests are controlled by system:masters')
}

/** Returns the app of the paths, which the app of the default cluster contains. Errors reach its error handler. */
export function testingApp(services: TestingServices): HonoBase<HttpEnvironment> {
  const app = new HonoBase<HttpEnvironment>({ router: new RegExpRouter() })
  app.post(`${testingPath}/clusters`, async (c) => {
    requireMaster(c)
    return make(services, await bodyOf(c.req.raw))
  })
  app.delete(clusterPath, (c) => {
    requireMaster(c)
    return remove(services, c.req.param('name'))
  })
  app.all(`${clusterPath}/:part`, async (c) => {
    requireMaster(c)
    const { name, part } = c.req.param()
    const handle = handlers[`${c.req.method} ${part}`]
    if (handle === undefined) throw unknownResource()
    return await handle(services.clusters.of(name), services.clientOf(name), await bodyOf(c.req.raw))
  })
  return app
}

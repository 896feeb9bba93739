/** The paths below /edgeplane/v1: backup, restore and recovery of the whole cluster, and the migration check. */

import type { Handler } from 'hono'
import type { FinishRestore } from '../../clusters/backup-messages.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { controlProtocol } from '../../clusters/control-protocol.ts'
import { send } from '../../clusters/message.ts'
import { objectProtocol } from '../../clusters/object-protocol.ts'
import { controlOf, placementNamed } from '../../clusters/placement.ts'
import { repeated } from '../../clusters/protocol.ts'
import { ApiError, badRequest, methodNotAllowed, unknownResource } from '../../meta/errors.ts'
import type { User } from '../../meta/user.ts'
import type { HttpEnvironment, RequestContext } from '../filters/filter.ts'
import { objectNames, serveBackup } from './backup.ts'
import { type MigrationServices, migrationHandler } from './migration.ts'
import { administrationPrefix } from './prefix.ts'
import { sendBeforeRestart, stateOf } from './requests.ts'

/** The group whose members may read and replace everything, signing keys included. */
const mastersGroup = 'system:masters'

/** The most bytes of one request with lines. */
const longestBody = 8 * 1024 * 1024

/** A request for one Durable Object. */
interface ObjectRequest {
  readonly client: CollectionClient
  /** The name of the Durable Object. */
  readonly name: string
  readonly query: URLSearchParams
  readonly body: string
}

/** The steps of a restore and of a recovery, by the last part of their path. */
const steps: Readonly<Record<string, (request: ObjectRequest) => Promise<object | undefined>>> = {
  state: ({ client, name }) => stateOf(client, name),
  hold: ({ client, name, body }) => sendBeforeRestart(client, name, objectProtocol.hold, objectIn(body)),
  finish: async ({ client, name, body }) => {
    if (name !== controlOf(client.cluster).name) throw badRequest(`a restore is finished at ${controlOf(client.cluster).name}`)
    // The control object restarts before it has done it, and goes on with the next request.
    const wanted = objectIn<FinishRestore>(body)
    await repeated(() => send(client.control(), controlProtocol.finishRestore, wanted))
    return undefined
  },
  recover: ({ client, name, body }) => sendBeforeRestart(client, name, objectProtocol.recover, objectIn(body)),
  raise: ({ client, name, body }) => sendBeforeRestart(client, name, objectProtocol.raise, objectIn(body)),
  lines: ({ client, name, query, body }) => {
    const fields = { id: query.get('id') ?? '', clusters: query.get('clusters') ?? 'signed' }
    return send(client.get(placementNamed(name)), objectProtocol.stage, { text: body, fields })
  },
}

/** Parses a body; the Durable Object checks what is in it. */
function objectIn<T extends object>(body: string): T {
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value === 'object' && value !== null) return value as T
  } catch {
    // Answered below.
  }
  throw badRequest('the body must be a JSON object')
}

/** @throws ApiError 403: rules that grant all non-resource paths do not grant these */
function requireMaster({ name, groups }: User, path: string): void {
  if (groups.includes(mastersGroup)) return
  const why = `forbidden: User ${JSON.stringify(name)} cannot use path ${JSON.stringify(path)}: only members of ${mastersGroup} can`
  throw new ApiError(403, 'Forbidden', why, {})
}

async function bodyOf(request: Request): Promise<string> {
  const bytes = await request.arrayBuffer()
  if (bytes.byteLength > longestBody) throw badRequest(`a request must not have more than ${longestBody} bytes`)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw badRequest('the body must be UTF-8')
  }
}

/** The services of the handler. */
export interface AdministrationServices extends MigrationServices {
  readonly client: CollectionClient
}

/** Makes the handler of all paths below the prefix. It throws ApiError 400, 403, 404 and 405, and those of Durable Objects. */
export function administrationHandler(services: AdministrationServices): Handler<HttpEnvironment> {
  const { client, requestCounts } = services
  /** The paths that read no more than the client may read elsewhere: authorization has decided about them. */
  const checks: Readonly<Record<string, (c: RequestContext) => Promise<Response>>> = {
    migration: migrationHandler(services),
    'deprecated-requests': async () => Response.json({ items: await requestCounts.record() }),
  }
  return async (c) => {
    const { path } = c.get('info')
    const request = c.req.raw
    const rest = path.slice(administrationPrefix.length + 1)
    const check = Object.hasOwn(checks, rest) ? checks[rest] : undefined
    if (check !== undefined) {
      if (request.method !== 'GET') throw methodNotAllowed()
      return check(c)
    }
    requireMaster(c.get('user'), path)
    if (rest === 'backup' || rest === 'objects') {
      if (request.method !== 'GET') throw methodNotAllowed()
      return rest === 'backup'
        ? serveBackup(client, (work) => c.executionCtx.waitUntil(work))
        : Response.json({ names: await objectNames(client) })
    }
    const step = Object.hasOwn(steps, rest) ? steps[rest] : undefined
    if (step === undefined) throw unknownResource()
    if (request.method !== 'POST') throw methodNotAllowed()
    const query = c.get('query')
    const name = query.get('object') ?? ''
    if (!isObject(client, name)) throw badRequest(`${JSON.stringify(name)} is no object of this cluster`)
    return Response.json((await step({ client, name, query, body: await bodyOf(request) })) ?? {})
  }
}

/** Whether a name can be that of a Durable Object of the cluster: `<cluster>/control` or `<cluster>/<group>/<resource>`. */
function isObject({ cluster }: CollectionClient, name: string): boolean {
  const [first, ...rest] = name.split('/')
  if (first !== cluster) return false
  const isName = (part: string | undefined): boolean => /^[a-z0-9.-]{1,253}$/.test(part ?? '')
  if (rest.length === 1) return rest[0] === 'control'
  return rest.length === 2 && (rest[0] === '' || isName(rest[0])) && isName(rest[1])
}

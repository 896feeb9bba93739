/** Servers with only some filters, and the services of filters, for tests. */

import { Hono } from 'hono'
import { ClusterAddresses } from '../../clusters/cluster-path.ts'
import { CollectionClient } from '../../clusters/collection-client.ts'
import type { FlowControlObjects } from '../../clusters/flow-control-objects.ts'
import { defaultCluster } from '../../clusters/placement.ts'
import type { PolicySnapshot } from '../../clusters/policy-snapshot.ts'
import type { RbacObjects } from '../../clusters/rbac-objects.ts'
import type { SettingTexts } from '../../config/settings.ts'
import type { User } from '../../meta/user.ts'
import { onError } from '../on-error.ts'
import { type ServerConfig, type SharedServices, sharedServices } from '../services/shared.ts'
import { readSettings } from '../settings.ts'
import { withAuditInit } from './audit-init.ts'
import type { Filter, HttpEnvironment } from './filter.ts'
import { withRequestInfo } from './request-info.ts'
import { withRequestReceivedTimestamp } from './request-received-timestamp.ts'

/** An execution context that ignores waitUntil. */
export const executionContext = {
  waitUntil: () => undefined,
  passThroughOnException: () => undefined,
  props: {},
} as unknown as ExecutionContext

export const administrator: User = { name: 'admin', uid: '', groups: ['system:masters', 'system:authenticated'], extra: {} }
export const jane: User = { name: 'jane', uid: '', groups: ['system:authenticated'], extra: {} }

const noRoles: RbacObjects = { clusterRoles: {}, roles: {}, bindings: [] }

/** RBAC objects by which all authenticated users may read non-resource paths. */
export const readersOfPaths: RbacObjects = {
  clusterRoles: { discovery: [{ verbs: ['get', 'head', 'options'], nonResourceURLs: ['*'] }] },
  roles: {},
  bindings: [
    {
      namespace: '',
      name: 'discovery',
      roleRef: { kind: 'ClusterRole', name: 'discovery' },
      subjects: [{ kind: 'Group', name: 'system:authenticated' }],
    },
  ],
}

const noFlows: FlowControlObjects = { flowSchemas: [], priorityLevels: [] }

/** Returns the client of a cluster with this policy. `answer` responds for its collections. */
export function clientOf(
  { rbac = noRoles, flowControl = noFlows }: Partial<PolicySnapshot>,
  answer: (request: Request) => Promise<Response> = async () => new Response(null, { status: 500 }),
): CollectionClient {
  const namespaces = { default: { phase: 'Active' } }
  const parts = { namespaces, rbac, flowControl, priorityClasses: { byName: {} }, definitions: {}, limits: {} }
  const changes = Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, { version: '1', value }]))
  const namespace = (fetch: (request: Request) => Promise<Response>): DurableObjectNamespace =>
    ({
      idFromName: (name: string) => name,
      get: () => ({ fetch: (url: string, init?: RequestInit) => fetch(new Request(url, init)) }),
    }) as unknown as DurableObjectNamespace
  return new CollectionClient({ CONTROL: namespace(async () => Response.json(changes)), COLLECTION: namespace(answer) }, 'test')
}

const unreachable = (): never => {
  throw new Error('nothing else is reached here')
}
const noObjects = { idFromName: unreachable, get: unreachable } as unknown as DurableObjectNamespace

/** Returns the configuration of a server that reaches nothing. */
export const configOf = (texts: SettingTexts): ServerConfig => ({
  environment: { ...texts, CONTROL: noObjects, COLLECTION: noObjects },
  settings: readSettings(texts, () => unreachable),
  addresses: new ClusterAddresses(''),
  underTest: undefined,
  network: { connect: unreachable, fetch: unreachable },
  nodeNetwork: undefined,
  exists: unreachable,
  forget: unreachable,
})

/** Returns the services that the handlers of a server share, for a client and settings. */
export const servicesOf = (client: CollectionClient, texts: SettingTexts = {}): SharedServices =>
  sharedServices(defaultCluster, configOf(texts), { client })

/** Sets the user instead of withAuthentication and withImpersonation. */
export const withUser =
  (user: User): Filter =>
  (c, next) => {
    c.set('authenticatedUser', user)
    c.set('user', user)
    return next()
  }

/** Returns a server with the outermost filters, the given filters, and a handler that responds with the user's name. */
export function serverOf(...filters: readonly Filter[]): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  app.use(withAuditInit(undefined), withRequestReceivedTimestamp, withRequestInfo(new ClusterAddresses('')), ...filters)
  app.all('*', (c) => c.text(c.get('user')?.name ?? 'nobody'))
  app.onError(onError)
  const { request } = app
  // The Worker always passes bindings.
  app.request = (input, init, bindings = {}, context) => request(input, init, bindings, context)
  return app
}

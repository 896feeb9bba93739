import { expect, test } from 'vitest'
import { protocolPath } from '../clusters/protocol.ts'
import { unwrap } from '../clusters/wire-error.ts'
import { ApiError } from '../meta/errors.ts'
import { type ControlPaths, controlPaths } from './inner-paths.ts'

const app = controlPaths()
const unused = (): Promise<never> => Promise.reject(new Error('another path'))
const none: ControlPaths = {
  receive: unused,
  requestRecord: {} as ControlPaths['requestRecord'],
  metrics: unused,
  backup: {} as ControlPaths['backup'],
  restoration: {} as ControlPaths['restoration'],
  finishRestore: unused,
  accountsDeleted: unused,
  policy: unused,
  admission: unused,
  register: unused,
  health: unused,
  definition: unused,
  serviceChanged: () => new Response(null),
  forward: unused,
  signToken: unused,
  tokenKeys: unused,
  usage: unused,
  deleteAll: unused,
  runAlarm: unused,
  endWatches: () => undefined,
  revokeRegistration: () => undefined,
  setCluster: unused,
  setSignpost: unused,
  past: {} as ControlPaths['past'],
  historyChanged: unused,
  copy: unused,
  requireAgreement: unused,
  requireParent: () => undefined,
  holds: {} as ControlPaths['holds'],
  originOf: () => undefined,
  copied: () => undefined,
  reportCluster: unused,
  clusterNames: (names) => names,
  objectUse: ({ objects, bytes }) => ({ limits: {}, others: { objects, bytes } }),
  quotas: { reserve: unused, release: unused, recount: unused },
}
const send = async (path: string, paths: Partial<ControlPaths>, init: RequestInit = {}): Promise<Response> =>
  app.fetch(new Request(`http://control${path.startsWith('/v') ? '' : protocolPath}${path}`, init), { ...none, ...paths })

test('the inner paths of a control object reach its functions', async () => {
  const policy = async ({ url }: Request): Promise<Response> => new Response(new URL(url).searchParams.get('rbac'))
  expect(await (await send('/policy?rbac=7', { policy })).text()).toBe('7')
  const signToken = async (claims: object): Promise<string> => `signed ${JSON.stringify(claims)}`
  expect(await (await send('/tokens', { signToken }, { method: 'POST', body: '{"sub":"a"}' })).text()).toBe('signed {"sub":"a"}')
})

test.each(['/of-a-later-release', '/v999/policy', '/v999'])('%s of another release is 503 with Retry-After', async (path) => {
  await expect(send(path, {}).then(unwrap)).rejects.toMatchObject({
    code: 503,
    reason: 'ServiceUnavailable',
    details: { retryAfterSeconds: 1 },
  })
})

test('an error of an inner path is rethrown unchanged, not converted to a response', async () => {
  const overloaded = Object.assign(new ApiError(503, 'ServiceUnavailable', 'overloaded'), { overloaded: true })
  await expect(send('/health', { health: () => Promise.reject(overloaded) })).rejects.toBe(overloaded)
})

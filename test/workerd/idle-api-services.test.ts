/** A server of an APIService is asked a bounded number of times, or once if it answers: without requests, an object has no alarm for it any more. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { type Operation, operationInit } from '../../src/clusters/operation.ts'
import { collectionUrl } from '../../src/clusters/protocol.ts'
import type { AlarmPart } from '../../src/controllers/alarms.ts'
import { kernelOf } from './kernel-of.ts'
import { countPath } from './live-server.ts'
import { newControl } from './new-control.ts'

const apiService = (group: string, name: string, port: number) => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `v1.${group}` },
  spec: {
    group,
    version: 'v1',
    groupPriorityMinimum: 100,
    versionPriority: 100,
    insecureSkipTLSVerify: true,
    service: { namespace: 'default', name, port },
  },
})

/** Returns a Service; nobody listens at the port 1. */
const service = (name: string, port: number) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'default' },
  spec: {
    type: 'ExternalName',
    externalName: '127.0.0.1',
    sessionAffinity: 'None',
    ports: [{ port, targetPort: port, protocol: 'TCP' }],
  },
})

async function create(
  stub: DurableObjectStub,
  place: Pick<Operation['target'], 'group' | 'resource' | 'namespace'>,
  object: object,
) {
  const target = { ...place, version: 'v1', subresource: '', name: '' }
  const operation = { verb: 'create', target, write: { manager: 'test', dryRun: false } } as unknown as Operation
  const response = await stub.fetch(collectionUrl, operationInit(operation, JSON.stringify(object)))
  expect([response.status, await response.text()]).toEqual([201, expect.any(String)])
}

async function createService(cluster: string, control: DurableObjectStub, name: string, port: number): Promise<void> {
  const services = env.PLACEMENT === 'one-object' ? control : env.COLLECTION.getByName(`${cluster}//services`)
  await create(services, { group: '', resource: 'services', namespace: 'default' }, service(name, port))
}

/** Returns the checks of a control object. */
function checksOf(instance: unknown): AlarmPart {
  const { alarms } = kernelOf(instance)
  return alarms.parts.find(({ name }) => name === 'api-service-availability') as AlarmPart
}

const asked = async (): Promise<number> => (await env.LIVE.fetch(`https://live${countPath}`)).json()

test('an APIService whose server never answers: no alarm is left after about five minutes of attempts', async () => {
  const cluster = crypto.randomUUID()
  const control = await newControl(cluster)
  await createService(cluster, control, 'api', 1)
  await create(
    control,
    { group: 'apiregistration.k8s.io', resource: 'apiservices', namespace: '' },
    apiService('example.com', 'api', 1),
  )
  const pauses = await runInDurableObject(control, async (instance) => {
    const part = checksOf(instance)
    // The alarm may have begun the first attempt.
    await kernelOf(instance).alarms.settle()
    const found: number[] = []
    for (let next = part.nextAlarm(Date.now()); next !== undefined && found.length < 100; next = part.nextAlarm(Date.now())) {
      found.push(Math.round(Math.max(0, next - Date.now()) / 1000))
      await part.work(next)
    }
    return found
  })
  expect(pauses.slice(-10)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60])
  expect(pauses.length).toBeLessThanOrEqual(12)
})

test('an APIService whose server answers: it is asked once, and no alarm is left', async () => {
  // Routes of the operator lead from the default cluster alone.
  const cluster = 'default'
  const control = env.CONTROL.getByName(`${cluster}/control`)
  await createService(cluster, control, 'live', 443)
  const before = await asked()
  const place = { group: 'apiregistration.k8s.io', resource: 'apiservices', namespace: '' }
  await create(control, place, apiService('live.example.com', 'live', 443))
  const nextAlarm = (): Promise<number | null> =>
    runInDurableObject(control, (instance) => checksOf(instance).nextAlarm(Date.now()) ?? null)
  await expect.poll(async () => [await asked(), await nextAlarm()]).toEqual([before + 1, null])
  // Hours later, when the object wakes up for another reason, nothing is due.
  await runInDurableObject(control, (instance) => checksOf(instance).work(Date.now() + 6 * 60 * 60 * 1000))
  expect(await asked()).toBe(before + 1)
})

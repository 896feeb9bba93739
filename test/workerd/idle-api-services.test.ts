/** A server of an APIService is asked a bounded number of times: without requests, an object has no alarm for it any more. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { type Operation, operationInit } from '../../src/clusters/operation.ts'
import { collectionUrl } from '../../src/clusters/protocol.ts'
import type { AlarmPart, Alarms } from '../../src/controllers/alarms.ts'
import { newControl } from './new-control.ts'

const apiService = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1.example.com' },
  spec: {
    group: 'example.com',
    version: 'v1',
    groupPriorityMinimum: 100,
    versionPriority: 100,
    insecureSkipTLSVerify: true,
    service: { namespace: 'default', name: 'api', port: 1 },
  },
}

const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'api', namespace: 'default' },
  // Nobody listens there.
  spec: {
    type: 'ExternalName',
    externalName: '127.0.0.1',
    sessionAffinity: 'None',
    ports: [{ port: 1, targetPort: 1, protocol: 'TCP' }],
  },
}

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

test('an APIService whose server never answers: no alarm is left after about five minutes of attempts', async () => {
  const cluster = crypto.randomUUID()
  const control = await newControl(cluster)
  const services = env.PLACEMENT === 'one-object' ? control : env.COLLECTION.getByName(`${cluster}//services`)
  await create(services, { group: '', resource: 'services', namespace: 'default' }, service)
  await create(control, { group: 'apiregistration.k8s.io', resource: 'apiservices', namespace: '' }, apiService)
  const pauses = await runInDurableObject(control, async (instance) => {
    const { alarms } = instance as unknown as { readonly alarms: Alarms }
    const part = alarms.parts.find(({ name }) => name === 'api-service-availability') as AlarmPart
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

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ResourceQuota } from '../../catalog/generated/types/core.v1.ts'
import type { QuotaRequest, ResourceList } from '../../clusters/quota-messages.ts'
import { checkRequest } from '../../registry/admission/quota/check.ts'
import { services } from '../../registry/admission/quota/evaluators/services.ts'
import { countedStatus, releasedStatus } from './reconcile.ts'

const type = fc.constantFrom('ClusterIP', 'NodePort', 'LoadBalancer')
const service = fc.record({ type, ports: fc.integer({ min: 1, max: 3 }) }).map(({ type: serviceType, ports }) => ({
  metadata: { name: 's' },
  spec: { type: serviceType, ports: Array.from({ length: ports }, (_, port) => ({ port })) },
}))
const names = ['services', 'services.nodeports', 'services.loadbalancers', 'count/services']

const requestFor = (object: object, old?: object): QuotaRequest => ({
  collection: 'services',
  namespace: 'a',
  subresource: '',
  facts: services.factsOf(object as Parameters<typeof services.factsOf>[0], 0),
  ...(old !== undefined && { old: services.factsOf(old as Parameters<typeof services.factsOf>[0], 0) }),
})

const quotaWith = (used: ResourceList, limit = '1000'): ResourceQuota => {
  const hard = Object.fromEntries(names.map((name) => [name, limit]))
  return { metadata: { name: 'q', uid: 'u' }, spec: { hard }, status: { hard, used: { ...used } } }
}

const nothing: ResourceList = Object.fromEntries(names.map((name) => [name, '0']))

/** Charges a request, and returns the quota afterwards; undefined if it is refused. */
function charge(quota: ResourceQuota, request: QuotaRequest): ResourceQuota | undefined {
  const { refusal, ...decision } = checkRequest([quota], request, services)
  if (refusal !== undefined) return undefined
  const { used } = decision as { used: ReadonlyMap<string, ResourceList> }
  return { ...quota, status: { ...quota.status, used: { ...(used.get('q') ?? quota.status.used) } } }
}

describe('the use of a quota', () => {
  test('is the same if objects are charged one by one or counted together', () => {
    fc.assert(
      fc.property(fc.array(service, { maxLength: 8 }), (objects) => {
        let quota: ResourceQuota | undefined = quotaWith(nothing)
        for (const object of objects) quota = quota && charge(quota, requestFor(object))
        const outstanding = objects.map((object) => requestFor(object))
        const counted = countedStatus(quotaWith({}), { resources: names, use: nothing }, outstanding)
        expect(quota?.status.used).toEqual(counted?.used)
      }),
    )
  })

  test('is that of before after a charge is released', () => {
    fc.assert(
      fc.property(fc.array(service, { minLength: 1, maxLength: 5 }), service, (objects, old) => {
        let before: ResourceQuota | undefined = quotaWith(nothing)
        for (const object of objects) before = before && charge(before, requestFor(object))
        const request = requestFor(objects[0] ?? old, old)
        const after = before && charge(before, request)
        const released = after && (releasedStatus(after, request) ?? after.status)
        expect(released?.used).toEqual(before?.status.used)
      }),
    )
  })

  test('never exceeds the limits, and an update is charged the difference alone', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(service, service), { maxLength: 8 }), fc.integer({ min: 0, max: 6 }), (pairs, limit) => {
        let quota = quotaWith(nothing, String(limit))
        for (const [object, changed] of pairs) {
          const created = charge(quota, requestFor(object))
          quota = (created && charge(created, requestFor(changed, object))) ?? created ?? quota
        }
        for (const amount of Object.values(quota.status.used ?? {})) expect(Number(amount)).toBeLessThanOrEqual(limit)
        const unchanged = pairs[0]?.[0]
        if (unchanged !== undefined) expect(charge(quota, requestFor(unchanged, unchanged))).toEqual(quota)
      }),
    )
  })
})

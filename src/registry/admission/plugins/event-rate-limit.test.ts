import { expect, test } from 'vitest'
import { kindOf } from '../../../catalog/scheme.ts'
import { readAdmissionSettings } from '../../../config/admission/settings.ts'
import { LookupResults } from '../../../meta/lookups.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { Store } from '../../../storage/store.ts'
import { CollectedFindings } from '../findings.ts'
import type { AdmissionAttributes, ValidatingContext } from '../plugin.ts'
import { eventRateLimit } from './event-rate-limit.ts'

/** Configures limits and returns a function that creates an Event, and returns the error's message. */
function limited(...limits: readonly object[]) {
  const configuration = { apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1', kind: 'Configuration', limits }
  const plugins = [{ name: 'EventRateLimit', configuration }]
  const document = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins }
  const settings = readAdmissionSettings({
    ENABLE_ADMISSION_PLUGINS: 'EventRateLimit',
    ADMISSION_CONFIGURATION: JSON.stringify(document),
  })
  const store = {} as Store
  let uid = 0
  return (time: number, others: Partial<AdmissionAttributes> & { readonly uid?: string; readonly component?: string } = {}) => {
    const { uid: known, component = 'c', ...attributes } = others
    const kind = attributes.kind ?? kindOf('', 'v1', 'events')
    if (kind === undefined) throw new Error('no Events')
    const event = {
      metadata: { uid: known ?? String(uid++) },
      source: { component, host: 'h' },
      involvedObject: { kind: 'Pod', namespace: 'n', name: 'p' },
    } as KubernetesObject
    const findings = new CollectedFindings()
    const context: ValidatingContext = {
      settings,
      lookups: new LookupResults(),
      store,
      now: () => time,
      kindOf,
      warn: (text) => findings.warn(text),
      annotate: (key, value) => findings.annotate(key, value),
      measure: () => undefined,
    }
    const user = { name: 'jane', uid: '', groups: [], extra: {} }
    const request: AdmissionAttributes = {
      operation: 'CREATE',
      subresource: '',
      namespace: 'n',
      name: '',
      user,
      dryRun: false,
      ...attributes,
      kind,
    }
    try {
      for (const { validate } of eventRateLimit.handlers) validate?.(request, event, undefined, context)
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
    return 'allowed'
  }
}

test('EventRateLimit: 429 beyond the burst, until the rate gives another token', () => {
  const create = limited({ type: 'Namespace', qps: 1, burst: 2 })
  const reached = 'Too many requests: limit reached on type Namespace for key n'
  expect([0, 0, 0, 500, 1000, 1000].map((time) => create(time))).toEqual([
    'allowed',
    'allowed',
    reached,
    reached,
    'allowed',
    reached,
  ])
  expect(create(1000, { namespace: 'other' })).toBe('allowed')
})

test('EventRateLimit: several limits that are reached are named together', () => {
  const create = limited({ type: 'Server', qps: 1, burst: 2 }, { type: 'SourceAndObject', qps: 1, burst: 1 })
  expect(create(0)).toBe('allowed')
  expect(create(0)).toBe('Too many requests: limit reached on type SourceAndObject for key chPodnp')
  expect(create(0, { component: 'd' })).toBe('Too many requests: limit reached on type Server for key ')
  expect(create(0)).toBe(
    'Too many requests: [limit reached on type Server for key , limit reached on type SourceAndObject for key chPodnp]',
  )
})

test('EventRateLimit: the least recently used bucket is forgotten beyond cacheSize', () => {
  const create = limited({ type: 'User', qps: 1, burst: 1, cacheSize: 1 })
  const by = (name: string): string => create(0, { user: { name, uid: '', groups: [], extra: {} } })
  expect([by('a'), by('a'), by('b'), by('a')]).toEqual([
    'allowed',
    'Too many requests: limit reached on type User for key a',
    'allowed',
    'allowed',
  ])
})

test('EventRateLimit: dry runs, Events of events.k8s.io and repeated attempts take no token', () => {
  const create = limited({ type: 'Server', qps: 1, burst: 1 })
  const newEvents = kindOf('events.k8s.io', 'v1', 'events')
  expect(create(0, { dryRun: true })).toBe('allowed')
  expect(newEvents && create(0, { kind: newEvents })).toBe('allowed')
  expect(create(0, { uid: 'same' })).toBe('allowed')
  expect(create(0, { uid: 'same' })).toBe('allowed')
  expect(create(0)).toContain('limit reached on type Server')
})

import { expect, test } from 'vitest'
import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import { workerLookup } from '../../clusters/lookups.ts'
import { readAdmissionSettings } from '../../config/admission/settings.ts'
import { LookupResults, MissingLookups } from '../../meta/lookups.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { Store } from '../../storage/store.ts'
import { randomNames } from '../name-generator.ts'
import { AdmissionChain, admissionChain } from './chain.ts'
import type { AdmissionAttributes, AdmissionHandler, AdmissionPlugin } from './plugin.ts'
import { alwaysDeny } from './plugins/always-deny.ts'
import { ReinvocationContext } from './reinvocation.ts'

const settings = readAdmissionSettings({})
const admission = admissionChain(settings)

function kind(group: string, version: string, resource: string): Kind {
  const found = kindOf(group, version, resource)
  if (found === undefined) throw new Error(resource)
  return found
}

const pods = kind('', 'v1', 'pods')

function attributes(requestKind: Kind = pods, others: Partial<AdmissionAttributes> = {}): AdmissionAttributes {
  const user = { name: 'jane', uid: '', groups: [], extra: {} }
  return { operation: 'CREATE', kind: requestKind, subresource: '', namespace: 'n', name: '', user, dryRun: false, ...others }
}

const named = (name: string, handler: Partial<AdmissionHandler>): AdmissionPlugin => ({
  name,
  handlers: [{ operations: ['CREATE'], resources: 'any', ...handler }],
})

const mutating = (results: Readonly<Record<string, unknown>> = {}) => ({
  settings,
  lookups: new LookupResults(results),
  names: randomNames,
  reinvocation: new ReinvocationContext(),
  now: Date.now,
  kindOf,
  warn: () => undefined,
  annotate: () => undefined,
  measure: () => undefined,
})

const noStore = {} as Store

/** Returns a plugin that appends its name to a label. */
const labels = (name: string, handler: Partial<AdmissionHandler> = {}): AdmissionPlugin =>
  named(name, {
    admit: (_attributes, { metadata }) => {
      metadata.labels = { ...metadata.labels, by: `${metadata.labels?.by ?? ''}${name} ` }
    },
    ...handler,
  })

test('admission plugins run in the order of the chain, for their operations, resources and subresources', () => {
  const chain = new AdmissionChain([
    labels('any'),
    labels('nodes', { resources: ['nodes'] }),
    labels('pods', { resources: ['nodes', 'pods'] }),
    labels('updates', { operations: ['UPDATE'] }),
    labels('status', { resources: ['pods/status'] }),
    labels('custom', { resources: 'custom' }),
    labels('last'),
  ])
  const admitted = (request: AdmissionAttributes): string | undefined => {
    const object: KubernetesObject = { metadata: {} }
    chain.admit(request, object, undefined, mutating())
    return object.metadata.labels?.by
  }
  expect(admitted(attributes())).toBe('any pods last ')
  expect(admitted(attributes(pods, { subresource: 'status' }))).toBe('any status last ')
  expect(admitted(attributes(pods, { operation: 'UPDATE' }))).toBe('updates ')
  expect(admitted(attributes(kind('', 'v1', 'configmaps')))).toBe('any last ')
  const definition = {} as NonNullable<Kind['definition']>
  expect(admitted(attributes({ ...pods, definition }))).toBe('any custom last ')
})

test('an admission plugin that rejects ends the chain, in the mutating and the validating phase', () => {
  const seen: string[] = []
  const refuses = (): void => {
    throw new Error('refused')
  }
  const sees = (): void => void seen.push('later')
  const chain = new AdmissionChain([
    named('refuses', { admit: refuses, validate: refuses }),
    named('later', { admit: sees, validate: sees }),
  ])
  expect(() => chain.admit(attributes(), { metadata: {} }, undefined, mutating())).toThrow('refused')
  const context = { ...mutating(), store: noStore }
  expect(() => chain.validate(attributes(), { metadata: {} }, undefined, context)).toThrow('refused')
  expect(seen).toEqual([])
})

test('MissingLookups names the lookups of several plugins together, before the object is changed', () => {
  const lookup = (namespace: string) => workerLookup('namespace', { namespace })
  const chain = new AdmissionChain([
    labels('first', { lookups: () => [lookup('a')] }),
    labels('second', { lookups: () => [lookup('b'), lookup('c')] }),
  ])
  const object: KubernetesObject = { metadata: {} }
  const admit = (results: Readonly<Record<string, unknown>>): void =>
    chain.admit(attributes(), object, undefined, mutating(results))
  const missing = (() => {
    try {
      admit({})
    } catch (error) {
      if (error instanceof MissingLookups) return error.ofWorker
      throw error
    }
    return []
  })()
  expect(missing.map(({ parameters }) => parameters)).toEqual([{ namespace: 'a' }, { namespace: 'b' }, { namespace: 'c' }])
  expect(object).toEqual({ metadata: {} })
  admit(Object.fromEntries(['a', 'b', 'c'].map((name) => [lookup(name).key, { phase: 'Active' }])))
  expect(object.metadata.labels?.by).toBe('first second ')
})

/** Arbitrary JSON bodies, because the Worker calls expectedLookups before decoding. */
const bodies = [null, 'text', [], {}, { spec: null }, { spec: 7 }, { spec: { serviceAccountName: {}, priorityClassName: [] } }]

test('create of a Pod with any body looks up its namespace, ServiceAccount and PriorityClass', () => {
  for (const body of bodies) {
    expect(admission.expectedLookups(attributes(), body).map(({ name, parameters }) => [name, parameters])).toEqual([
      ['namespace', { namespace: 'n' }],
      ['serviceAccount', { namespace: 'n', name: 'default' }],
      ['priority', { className: '' }],
    ])
  }
  const spec = { serviceAccountName: '', serviceAccount: 'robot', priorityClassName: 'high' }
  expect(admission.expectedLookups(attributes(), { spec }).map(({ parameters }) => parameters)).toEqual([
    { namespace: 'n' },
    { namespace: 'n', name: 'robot' },
    { className: 'high' },
  ])
})

test('update of a ConfigMap needs no lookup, create only that of its namespace', () => {
  const configMaps = kind('', 'v1', 'configmaps')
  expect(admission.expectedLookups(attributes(configMaps, { operation: 'UPDATE' }), {})).toEqual([])
  expect(admission.expectedLookups(attributes(configMaps), {}).length).toBe(1)
  expect(admission.expectedLookups(attributes(kind('', 'v1', 'nodes'), { namespace: '' }), {})).toEqual([])
})

/** The lookup results of a Pod. */
const known = {
  'namespace n': { phase: 'Active' },
  'serviceAccount n/default': { imagePullSecrets: ['pull'] },
  'priority ': { name: 'usual', value: 7, preemptionPolicy: 'Never' },
}

test('a Pod gets its ServiceAccount token, imagePullSecrets, priority and tolerations, with generated names', () => {
  const object = { metadata: { name: 'p' }, spec: { containers: [{ name: 'a' }] } }
  admission.admit(attributes(), object, undefined, {
    ...mutating(known),
    names: { uid: () => 'u', name: (base) => `${base}drawn`, number: () => 0 },
  })
  expect(object.spec).toMatchObject({
    serviceAccountName: 'default',
    imagePullSecrets: [{ name: 'pull' }],
    priorityClassName: 'usual',
    priority: 7,
    preemptionPolicy: 'Never',
    containers: [{ volumeMounts: [{ name: 'kube-api-access-drawn' }] }],
    volumes: [{ name: 'kube-api-access-drawn' }],
    tolerations: [{ key: 'node.kubernetes.io/not-ready' }, { key: 'node.kubernetes.io/unreachable' }],
  })
})

test('404 or 403 NamespaceTerminating for a create in a missing or terminating namespace', () => {
  const create = (phase: string | null): void =>
    admission.admit(attributes(), { metadata: { generateName: 'p-' } }, undefined, {
      ...mutating({ ...known, 'namespace n': phase === null ? null : { phase } }),
    })
  expect(() => create(null)).toThrow('namespaces "n" not found')
  expect(() => create('Terminating')).toThrow(
    'pods "p-" is forbidden: unable to create new content in namespace n because it is being terminated',
  )
})

test('403 for every operation with AlwaysDeny, also for custom resources and connections', () => {
  const chain = new AdmissionChain([alwaysDeny])
  const definition = {} as NonNullable<Kind['definition']>
  for (const operation of ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const) {
    for (const request of [
      attributes(pods, { operation, name: 'p' }),
      attributes({ ...pods, definition }, { operation, name: 'p' }),
    ]) {
      expect(() => chain.admit(request, { metadata: {} }, undefined, mutating())).toThrow(
        'pods "p" is forbidden: admission control is denying all modifications',
      )
    }
  }
})

test('the chain runs the enabled plugins alone, in the order of their names', () => {
  const chain = new AdmissionChain([labels('one'), labels('two'), labels('three')], ['three', 'unknown', 'one'])
  const object: KubernetesObject = { metadata: {} }
  chain.admit(attributes(), object, undefined, mutating())
  expect(object.metadata.labels?.by).toBe('three one ')
})

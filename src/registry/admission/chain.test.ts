import { expect, test } from 'vitest'
import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import { workerLookup } from '../../clusters/lookups.ts'
import { LookupResults, MissingLookups } from '../../meta/lookups.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { Store } from '../../storage/store.ts'
import { randomNames } from '../name-generator.ts'
import { AdmissionChain, admission } from './chain.ts'
import type { AdmissionAttributes, AdmissionHandler, AdmissionPlugin } from './plugin.ts'

function kind(group: string, version: string, resource: string): Kind {
  const found = kindOf(group, version, resource)
  if (found === undefined) throw new Error(resource)
  return found
}

const pods = kind('', 'v1', 'pods')

function attributes(of: Kind = pods, others: Partial<AdmissionAttributes> = {}): AdmissionAttributes {
  const user = { name: 'jane', uid: '', groups: [], extra: {} }
  return { operation: 'CREATE', kind: of, subresource: '', namespace: 'n', name: '', user, ...others }
}

const named = (name: string, handler: Partial<AdmissionHandler>): AdmissionPlugin => ({
  name,
  handlers: [{ operations: ['CREATE'], resources: 'any', ...handler }],
})

const mutating = (results: Readonly<Record<string, unknown>> = {}) => ({
  lookups: new LookupResults(results),
  names: randomNames,
})

const noStore = {} as Store

/** A plugin that adds its name to a label. */
const labels = (name: string, handler: Partial<AdmissionHandler> = {}): AdmissionPlugin =>
  named(name, {
    admit: (_attributes, { metadata }) => {
      metadata.labels = { ...metadata.labels, by: `${metadata.labels?.by ?? ''}${name} ` }
    },
    ...handler,
  })

test('plugins run in the order of the chain, on their operations, resources and subresources', () => {
  const chain = new AdmissionChain([
    labels('any'),
    labels('nodes', { resources: ['nodes'] }),
    labels('pods', { resources: ['nodes', 'pods'] }),
    labels('updates', { operations: ['UPDATE'] }),
    labels('status', { resources: ['pods/status'] }),
    labels('custom', { resources: 'custom' }),
    labels('last'),
  ])
  const admitted = (of: AdmissionAttributes): string | undefined => {
    const object: KubernetesObject = { metadata: {} }
    chain.admit(of, object, undefined, mutating())
    return object.metadata.labels?.by
  }
  expect(admitted(attributes())).toBe('any pods last ')
  expect(admitted(attributes(pods, { subresource: 'status' }))).toBe('any status last ')
  expect(admitted(attributes(pods, { operation: 'UPDATE' }))).toBe('updates ')
  expect(admitted(attributes(kind('', 'v1', 'configmaps')))).toBe('any last ')
  const definition = {} as NonNullable<Kind['definition']>
  expect(admitted(attributes({ ...pods, definition }))).toBe('any custom last ')
})

test('a plugin that refuses ends the chain, in either phase', () => {
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
  const context = { lookups: new LookupResults(), store: noStore }
  expect(() => chain.validate(attributes(), { metadata: {} }, undefined, context)).toThrow('refused')
  expect(seen).toEqual([])
})

test('the expected lookups of several plugins are missing together, and nothing has changed by then', () => {
  const lookup = (namespace: string) => workerLookup('namespacePhase', { namespace })
  const chain = new AdmissionChain([
    labels('first', { lookups: () => [lookup('a')] }),
    labels('second', { lookups: () => [lookup('b'), lookup('c')] }),
  ])
  const object: KubernetesObject = { metadata: {} }
  const admit = (results: Readonly<Record<string, unknown>>): void =>
    chain.admit(attributes(), object, undefined, mutating(results))
  const missing = (() => {
    try {
      admit({ [lookup('b').key]: 'Active' })
    } catch (error) {
      if (error instanceof MissingLookups) return error.ofWorker
      throw error
    }
    return []
  })()
  expect(missing.map(({ parameters }) => parameters)).toEqual([{ namespace: 'a' }, { namespace: 'c' }])
  expect(object).toEqual({ metadata: {} })
  admit(Object.fromEntries(['a', 'b', 'c'].map((name) => [lookup(name).key, 'Active'])))
  expect(object.metadata.labels?.by).toBe('first second ')
})

/** Bodies of which nothing is certain: the Worker sees them before they are decoded. */
const bodies = [null, 'text', [], {}, { spec: null }, { spec: 7 }, { spec: { serviceAccountName: {}, priorityClassName: [] } }]

test('a Pod is expected to need its namespace, its ServiceAccount and its PriorityClass, whatever the body is', () => {
  for (const body of bodies) {
    expect(admission.expectedLookups(attributes(), body).map(({ name, parameters }) => [name, parameters])).toEqual([
      ['namespacePhase', { namespace: 'n' }],
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

test('an update of a ConfigMap needs no lookup, a create that of its namespace alone', () => {
  const configMaps = kind('', 'v1', 'configmaps')
  expect(admission.expectedLookups(attributes(configMaps, { operation: 'UPDATE' }), {})).toEqual([])
  expect(admission.expectedLookups(attributes(configMaps), {}).length).toBe(1)
  expect(admission.expectedLookups(attributes(kind('', 'v1', 'nodes'), { namespace: '' }), {})).toEqual([])
})

/** The results of a Pod's lookups. */
const known = {
  'namespacePhase n': 'Active',
  'serviceAccount n/default': { imagePullSecrets: ['pull'] },
  'priority ': { name: 'usual', value: 7, preemptionPolicy: 'Never' },
}

test('a Pod gets the token of its account, its pull secrets, its priority and its tolerations; the names are those that were drawn', () => {
  const object = { metadata: { name: 'p' }, spec: { containers: [{ name: 'a' }] } }
  admission.admit(attributes(), object, undefined, {
    ...mutating(known),
    names: { uid: () => 'u', name: (base) => `${base}drawn` },
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

test('no object is created in a namespace that is missing or on its way out', () => {
  const create = (phase: string | null): void =>
    admission.admit(attributes(), { metadata: { generateName: 'p-' } }, undefined, {
      ...mutating({ ...known, 'namespacePhase n': phase }),
    })
  expect(() => create(null)).toThrow('namespaces "n" not found')
  expect(() => create('Terminating')).toThrow(
    'pods "p-" is forbidden: unable to create new content in namespace n because it is being terminated',
  )
})

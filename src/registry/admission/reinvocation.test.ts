import { expect, test } from 'vitest'
import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import { readAdmissionSettings } from '../../config/admission/settings.ts'
import { LookupResults } from '../../meta/lookups.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { randomNames } from '../name-generator.ts'
import { AdmissionChain } from './chain.ts'
import type { AdmissionAttributes, AdmissionPlugin } from './plugin.ts'
import { defaultTolerationSeconds } from './plugins/default-toleration-seconds.ts'
import { namespaceLifecycle } from './plugins/namespace-lifecycle.ts'
import { priority } from './plugins/priority.ts'
import { serviceAccount } from './plugins/service-account.ts'
import { ReinvocationContext } from './reinvocation.ts'

function kind(resource: string): Kind {
  const found = kindOf('', 'v1', resource)
  if (found === undefined) throw new Error(resource)
  return found
}

const attributes: AdmissionAttributes = {
  operation: 'CREATE',
  kind: kind('pods'),
  subresource: '',
  namespace: 'n',
  name: 'p',
  user: { name: 'jane', uid: '', groups: [], extra: {} },
  dryRun: false,
}

const known = {
  'namespace n': { phase: 'Active' },
  'serviceAccount n/default': { imagePullSecrets: ['pull'] },
  'priority ': { name: 'usual', value: 7 },
  'priority usual': { name: 'usual', value: 7 },
}

const context = () => ({
  settings: readAdmissionSettings({}),
  lookups: new LookupResults(known),
  names: randomNames,
  reinvocation: new ReinvocationContext(),
  now: Date.now,
  kindOf,
  warn: () => undefined,
  annotate: () => undefined,
  measure: () => undefined,
})

/** A plugin that appends its name to a label once. */
const once = (name: string): AdmissionPlugin => ({
  name,
  handlers: [
    {
      operations: ['CREATE'],
      resources: 'any',
      admit: (_attributes, { metadata }) => {
        const by = metadata.labels?.by ?? ''
        if (!by.includes(name)) metadata.labels = { ...metadata.labels, by: by + name }
      },
    },
  ],
})

interface Invocation {
  readonly key: string
  readonly policy: 'Never' | 'IfNeeded'
  /** Returns whether it changes the object. */
  readonly change: (object: KubernetesObject) => boolean
}

/** A plugin that invokes webhooks or policies, as the reinvocation contract demands; `log` gets the key of each one invoked. */
const dynamic = (name: string, invoked: readonly Invocation[], log: string[]): AdmissionPlugin => ({
  name,
  handlers: [
    {
      operations: ['CREATE'],
      resources: 'any',
      admit: (_attributes, object, _old, { reinvocation }) => {
        const invocations = reinvocation.invocationsOf(name)
        if (reinvocation.isReinvoke && invocations.isChangedSinceOutput(object)) invocations.requireReinvoking()
        for (const { key, policy, change } of invoked) {
          if (reinvocation.isReinvoke && !invocations.isDue(key)) continue
          log.push(key)
          if (change(object)) {
            invocations.requireReinvoking()
            reinvocation.request()
          }
          if (policy === 'IfNeeded') invocations.addReinvocable(key)
        }
        invocations.setOutput(object)
      },
    },
  ],
})

const annotate =
  (value: string) =>
  ({ metadata }: KubernetesObject): boolean => {
    if (metadata.annotations?.[value] !== undefined) return false
    metadata.annotations = { ...metadata.annotations, [value]: '' }
    return true
  }

const nothing = (): boolean => false

function run(plugins: readonly AdmissionPlugin[]): KubernetesObject {
  const object: KubernetesObject = { metadata: {} }
  new AdmissionChain(plugins).admit(attributes, object, undefined, context())
  return object
}

test('reinvocationPolicy: only IfNeeded invocations before a later change run again, once', () => {
  const log: string[] = []
  const invoked: Invocation[] = [
    { key: 'first', policy: 'IfNeeded', change: nothing },
    { key: 'never', policy: 'Never', change: annotate('a') },
    { key: 'second', policy: 'IfNeeded', change: annotate('b') },
    { key: 'last', policy: 'IfNeeded', change: nothing },
  ]
  run([dynamic('D', invoked, log)])
  expect(log).toEqual(['first', 'never', 'second', 'last', 'first'])
})

test('reinvocation: no second run if no webhook or policy has changed the object', () => {
  const log: string[] = []
  run([once('in-tree '), dynamic('D', [{ key: 'a', policy: 'IfNeeded', change: nothing }], log)])
  expect(log).toEqual(['a'])
})

test('reinvocation: a change of another plugin after its output makes IfNeeded invocations due', () => {
  const log: string[] = []
  const policies: Invocation[] = [{ key: 'policy', policy: 'IfNeeded', change: nothing }]
  const webhooks: Invocation[] = [{ key: 'webhook', policy: 'IfNeeded', change: annotate('w') }]
  const object = run([dynamic('Policies', policies, log), dynamic('Webhooks', webhooks, log), once('in-tree ')])
  expect(log).toEqual(['policy', 'webhook', 'policy', 'webhook'])
  expect(object.metadata.labels).toEqual({ by: 'in-tree ' })
})

test('reinvocation leaves a Pod as the first run of the in-tree plugins made it', () => {
  const inTree = [namespaceLifecycle, serviceAccount, priority, defaultTolerationSeconds]
  const admitted = (plugins: readonly AdmissionPlugin[]): KubernetesObject => {
    const object = { metadata: { name: 'p' }, spec: { containers: [{ name: 'a' }] } }
    const names = { uid: () => 'u', name: (base: string) => `${base}drawn`, number: () => 0 }
    new AdmissionChain(plugins).admit(attributes, object, undefined, { ...context(), names })
    return object
  }
  const changing = dynamic('D', [{ key: 'a', policy: 'Never', change: () => true }], [])
  expect(admitted([...inTree, changing])).toEqual(admitted(inTree))
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Kind } from '../../../catalog/kind.ts'
import { kindOf } from '../../../catalog/scheme.ts'
import type { CustomResourceDefinition } from '../../../crd/definition.ts'
import { kindsOf } from '../../../crd/kind.ts'
import { LookupResults, type MissingLookups } from '../../../meta/lookups.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { AdmissionCandidates } from './candidates.ts'
import { equivalentResources, equivalentsIn } from './equivalents.ts'
import { policyMatcher, type WebhookCriteria, webhookMatcher } from './match.ts'
import type { MatchRequest, Rule } from './rules.ts'
import type { MatchedObjects } from './selectors.ts'

function kind(group: string, version: string, resource: string): Kind {
  const found = kindOf(group, version, resource)
  if (found === undefined) throw new Error(resource)
  return found
}

const pods = kind('', 'v1', 'pods')
const namespaces = kind('', 'v1', 'namespaces')
const nodes = kind('', 'v1', 'nodes')

const widgets = kindsOf(
  {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      names: { plural: 'widgets', kind: 'Widget' },
      scope: 'Namespaced',
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
        {
          name: 'v2',
          served: true,
          storage: false,
          schema: { openAPIV3Schema: { type: 'object' } },
          subresources: { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
        },
      ],
    },
  } as unknown as CustomResourceDefinition,
  'tag',
)

function widget(version: string): Kind {
  const found = widgets.get(version)
  if (found === undefined) throw new Error(version)
  return found
}

const request = (others: Partial<MatchRequest> = {}): MatchRequest => ({
  operation: 'CREATE',
  kind: pods,
  subresource: '',
  namespace: 'default',
  name: 'web',
  ...others,
})

const everywhere = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }

const objects = (others: Partial<MatchedObjects> = {}): MatchedObjects => ({
  object: { metadata: {} },
  old: undefined,
  namespaceLabels: () => ({}),
  ...others,
})

/** The equivalents of the newest release. */
const equivalents = equivalentsIn({})

const labelled = (labels: Record<string, string>): KubernetesObject => ({ metadata: { labels } })

/** Returns whether a webhook with these criteria is called. */
const isCalled = (criteria: WebhookCriteria, ofRequest: Partial<MatchRequest>, others: Partial<MatchedObjects> = {}): boolean =>
  webhookMatcher({ namespaceSelector: {}, objectSelector: {}, rules: [everywhere], ...criteria }, equivalents).match(
    request(ofRequest),
    objects(others),
  ) !== undefined

describe('rules of webhooks and policies', () => {
  const values = (...items: string[]) => fc.uniqueArray(fc.constantFrom(...items), { maxLength: 3 })

  test('operations, groups, versions, resources and scope must all match', () => {
    const rule = fc.record({
      operations: values('CREATE', 'UPDATE', 'DELETE', '*'),
      apiGroups: values('', 'apps', '*'),
      apiVersions: values('v1', 'v1beta1', '*'),
      resources: values('pods', 'nodes', 'namespaces', '*', 'pods/*', '*/status', '*/*', 'pods/status', 'pods/'),
      scope: fc.constantFrom(undefined, '*', 'Namespaced', 'Cluster', 'Other'),
    })
    const requests = fc.record({
      operation: fc.constantFrom('CREATE' as const, 'UPDATE' as const, 'DELETE' as const, 'CONNECT' as const),
      resource: fc.constantFrom('pods', 'nodes', 'namespaces'),
      subresource: fc.constantFrom('', 'status', 'binding'),
    })
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 3 }), requests, (rules, { operation, resource: name, subresource }) => {
        const of = kind('', 'v1', name)
        const namespace = of.namespaced ? 'n' : ''
        const has = (items: readonly string[], item: string): boolean => items.some((each) => each === '*' || each === item)
        const accepted = [
          [of.resource, '*'].flatMap((resource) =>
            [subresource, '*'].map((each) => (each === '' ? [resource, `${resource}/`] : [`${resource}/${each}`])),
          ),
        ].flat(2)
        const scopes = [undefined, '*', of === pods ? 'Namespaced' : 'Cluster']
        const expected = rules.some(
          (each) =>
            has(each.operations, operation) &&
            has(each.apiGroups, of.group) &&
            has(each.apiVersions, of.version) &&
            each.resources.some((resource) => accepted.includes(resource)) &&
            scopes.includes(each.scope),
        )
        expect(isCalled({ rules: rules as Rule[] }, { operation, kind: of, subresource, namespace })).toBe(expected)
      }),
      { numRuns: 2000 },
    )
  })

  test('matchPolicy Equivalent finds the rule about another version, and that version is sent', () => {
    const rules: Rule[] = [{ ...everywhere, apiGroups: ['autoscaling'], apiVersions: ['v2'] }]
    const v1 = { kind: kind('autoscaling', 'v1', 'horizontalpodautoscalers') }
    expect(isCalled({ rules, matchPolicy: 'Exact' }, v1)).toBe(false)
    expect(isCalled({ rules }, v1)).toBe(false)
    const found = webhookMatcher({ namespaceSelector: {}, objectSelector: {}, rules, matchPolicy: 'Equivalent' }, equivalents)
    expect(found.match(request(v1), objects())).toEqual({
      group: 'autoscaling',
      version: 'v2',
      resource: 'horizontalpodautoscalers',
      kind: { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' },
    })
    const events: Rule[] = [{ ...everywhere, apiGroups: ['events.k8s.io'] }]
    expect(isCalled({ rules: events, matchPolicy: 'Equivalent' }, { kind: kind('', 'v1', 'events') })).toBe(true)
    expect(isCalled({ rules: events, matchPolicy: 'Equivalent' }, { kind: pods })).toBe(false)
  })

  test('versions of a CustomResourceDefinition are equivalent, also for a subresource that both have', () => {
    expect(equivalentResources(widget('v1'), '').map(({ version }) => version)).toEqual(['v2'])
    expect(equivalentResources(widget('v2'), 'scale')).toEqual([])
    expect(equivalentResources(widget('v1'), 'scale').map(({ kind: { kind: name } }) => name)).toEqual(['Scale'])
  })

  test('Equivalent finds the versions that the emulated release serves', () => {
    const rules: Rule[] = [{ ...everywhere, apiGroups: ['extensions'], apiVersions: ['v1beta1'], resources: ['ingresses'] }]
    const ingress = { kind: kind('networking.k8s.io', 'v1', 'ingresses') }
    const criteria = { namespaceSelector: {}, objectSelector: {}, rules, matchPolicy: 'Equivalent' as const }
    const found = (emulation: string): string | undefined =>
      webhookMatcher(criteria, equivalentsIn({ emulation })).match(request(ingress), objects())?.group
    expect([found('1.21'), found('1.22')]).toEqual(['extensions', undefined])
  })

  test('resourceNames and excludeResourceRules of policies', () => {
    const matches = (criteria: Parameters<typeof policyMatcher>[0], others: Partial<MatchRequest> = {}): boolean =>
      policyMatcher({ namespaceSelector: {}, objectSelector: {}, ...criteria }, equivalents).match(request(others), objects()) !==
      undefined
    expect(matches({})).toBe(true)
    expect(matches({ resourceRules: [{ ...everywhere, resourceNames: ['web'] }] })).toBe(true)
    expect(matches({ resourceRules: [{ ...everywhere, resourceNames: ['web'] }] }, { name: '' })).toBe(false)
    expect(matches({ excludeResourceRules: [{ ...everywhere, resourceNames: ['web'] }] })).toBe(false)
    expect(matches({ excludeResourceRules: [{ ...everywhere, resourceNames: ['web'] }] }, { name: 'db' })).toBe(true)
  })
})

describe('selectors of webhooks and policies', () => {
  const selector = { matchLabels: { team: 'a' } }

  test('objectSelector matches the object or its old state', () => {
    const old = labelled({ team: 'a' })
    expect(isCalled({ objectSelector: selector }, {})).toBe(false)
    expect(isCalled({ objectSelector: selector }, {}, { object: labelled({ team: 'a' }) })).toBe(true)
    expect(isCalled({ objectSelector: selector }, { operation: 'UPDATE' }, { old })).toBe(true)
    expect(isCalled({ objectSelector: selector }, { operation: 'DELETE' }, { object: undefined, old })).toBe(true)
  })

  test('namespaceSelector matches the labels of the namespace, and everything that is cluster-scoped', () => {
    const namespaceLabels = (name: string) => (name === 'a' ? { team: 'a' } : {})
    expect(isCalled({ namespaceSelector: selector }, { namespace: 'a' }, { namespaceLabels })).toBe(true)
    expect(isCalled({ namespaceSelector: selector }, { namespace: 'b' }, { namespaceLabels })).toBe(false)
    expect(isCalled({ namespaceSelector: selector }, { kind: nodes, namespace: '' }, { namespaceLabels })).toBe(true)
  })

  test('a Namespace is selected by its own labels', () => {
    const create = { kind: namespaces, namespace: '', name: 'n' }
    const stored = { namespaceLabels: () => ({ team: 'a' }) }
    expect(isCalled({ namespaceSelector: selector }, create, { object: labelled({ team: 'a' }) })).toBe(true)
    expect(isCalled({ namespaceSelector: selector }, create, stored)).toBe(false)
    expect(isCalled({ namespaceSelector: selector }, { ...create, operation: 'DELETE' }, { ...stored, object: undefined })).toBe(
      true,
    )
    expect(isCalled({ namespaceSelector: selector }, { ...create, operation: 'UPDATE', subresource: 'status' }, stored)).toBe(
      false,
    )
    const status: Rule = { ...everywhere, resources: ['namespaces/status'] }
    const update = { ...create, operation: 'UPDATE' as const, subresource: 'status' }
    expect(isCalled({ namespaceSelector: selector, rules: [status] }, update, stored)).toBe(true)
  })

  test('404 if the namespace does not exist, only if the rules and the objectSelector match', () => {
    const missing = { namespaceLabels: () => undefined }
    const of = (criteria: WebhookCriteria): boolean => isCalled({ namespaceSelector: selector, ...criteria }, {}, missing)
    expect(() => of({})).toThrow(expect.objectContaining({ code: 404, message: 'namespaces "default" not found' }))
    expect(of({ rules: [] })).toBe(false)
    expect(of({ objectSelector: selector })).toBe(false)
  })

  test('an invalid selector fails the requests that the rules are about', () => {
    const invalid = { matchExpressions: [{ key: 'a', operator: 'Is' }] }
    const message = 'Internal error occurred: "Is" is not a valid label selector operator'
    expect(() => isCalled({ objectSelector: invalid }, {})).toThrow(expect.objectContaining({ code: 500, message }))
    expect(isCalled({ objectSelector: invalid, rules: [] }, {})).toBe(false)
  })

  test('the labels of a namespace are looked up only if the rules match', () => {
    const lookups = new LookupResults()
    const looked = {
      namespaceLabels: () => lookups.get<Record<string, string>>({ where: 'worker', key: 'k', name: 'n', parameters: {} }),
    }
    expect(isCalled({ namespaceSelector: selector, rules: [] }, {}, looked)).toBe(false)
    expect(() => isCalled({ namespaceSelector: selector }, {}, looked)).toThrow(
      expect.objectContaining({ lookups: [expect.objectContaining({ key: 'k' })] }) as MissingLookups,
    )
  })
})

describe('candidates of a request', () => {
  const none = {
    validatingWebhooks: [],
    mutatingWebhooks: [],
    validatingPolicies: [],
    validatingBindings: [],
    mutatingPolicies: [],
    mutatingBindings: [],
  }
  const ofPods = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['pods'], resourceNames: ['web'] }
  const create = (of: Kind) => ({ operation: 'CREATE', kind: of, subresource: '' }) as const

  test('a policy counts only with a binding, whatever the names', () => {
    const policy = { metadata: { name: 'p' }, spec: { matchConstraints: { resourceRules: [ofPods] } }, status: {} }
    const binding = { metadata: { name: 'b' }, spec: { policyName: 'p' } }
    const unbound = new AdmissionCandidates({ ...none, validatingPolicies: [policy] })
    const bound = new AdmissionCandidates({ ...none, validatingPolicies: [policy], validatingBindings: [binding] })
    expect(unbound.mayMatch(create(pods))).toBe(false)
    expect(bound.mayMatch(create(pods))).toBe(true)
    expect(bound.mayMatch(create(nodes))).toBe(false)
  })

  test('neither webhooks nor policies see the configuration of admission; policies see no reviews', () => {
    const hooks = kind('admissionregistration.k8s.io', 'v1', 'validatingwebhookconfigurations')
    const policies = kind('admissionregistration.k8s.io', 'v1', 'validatingadmissionpolicies')
    const review = kind('authorization.k8s.io', 'v1', 'subjectaccessreviews')
    const webhook = {
      metadata: { name: 'w' },
      webhooks: [
        { name: 'w.example.com', clientConfig: {}, sideEffects: 'None', admissionReviewVersions: ['v1'], rules: [everywhere] },
      ],
    }
    const byWebhook = new AdmissionCandidates({ ...none, mutatingWebhooks: [webhook] })
    const policy = { metadata: { name: 'p' }, spec: {} }
    const binding = { metadata: { name: 'b' }, spec: { policyName: 'p' } }
    const byPolicy = new AdmissionCandidates({ ...none, mutatingPolicies: [policy], mutatingBindings: [binding] })
    expect([hooks, policies, review, pods].map((of) => byWebhook.mayMatch(create(of)))).toEqual([false, false, true, true])
    expect([hooks, policies, review, pods].map((of) => byPolicy.mayMatch(create(of)))).toEqual([true, false, false, true])
  })
})

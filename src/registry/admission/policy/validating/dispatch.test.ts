import { describe, expect, test } from 'vitest'
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicySpec,
} from '../../../../catalog/generated/types/admissionregistration.v1.ts'
import { kindOf } from '../../../../catalog/scheme.ts'
import { workerLookup } from '../../../../clusters/lookups.ts'
import type { JsonObject } from '../../../../go/json-value.ts'
import { LookupResults, MissingLookups, type WorkerLookup } from '../../../../meta/lookups.ts'
import type { KubernetesObject } from '../../../../meta/object-meta.ts'
import { equivalentsIn } from '../../matching/equivalents.ts'
import { paramKindLookup, paramsLookup } from '../shared/params.ts'
import { namespaceObjectLookup, type PolicyRequest, RequestValues } from '../shared/request-values.ts'
import { compileValidatingPolicy } from './compile.ts'
import { dispatchValidating, type PolicyDenial, validatingHooks } from './dispatch.ts'

const configMaps = kindOf('', 'v1', 'configmaps')
if (configMaps === undefined) throw new Error('no ConfigMaps')

const request: PolicyRequest = {
  operation: 'CREATE',
  kind: configMaps,
  subresource: '',
  namespace: 'shop',
  name: 'settings',
  user: { name: 'jane', uid: '', groups: ['devs'], extra: {} },
  dryRun: false,
  options: null,
}

let versions = 0

function policy(name: string, spec: Partial<ValidatingAdmissionPolicySpec>): ValidatingAdmissionPolicy {
  versions++
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }]
  return {
    metadata: { name, uid: name, resourceVersion: String(versions) },
    spec: { matchConstraints: { resourceRules, namespaceSelector: {}, objectSelector: {} }, failurePolicy: 'Fail', ...spec },
    status: {},
  }
}

const binding = (policyName: string, spec: Partial<ValidatingAdmissionPolicyBindingSpec> = {}) => ({
  metadata: { name: `${policyName}-binding` },
  spec: { policyName, validationActions: ['Deny'], ...spec },
})

interface Outcome {
  readonly denial: PolicyDenial | undefined
  readonly warnings: readonly string[]
  readonly annotations: readonly (readonly [string, string])[]
  readonly counted: readonly (readonly string[])[]
}

type Found = readonly (readonly [WorkerLookup<unknown>, unknown])[]

/** Evaluates policies for the creation of a ConfigMap. */
function evaluate(
  policies: readonly ValidatingAdmissionPolicy[],
  bindings: readonly ReturnType<typeof binding>[],
  data: JsonObject,
  found: Found = [],
): Outcome {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data }
  const lookups = new LookupResults(Object.fromEntries(found.map(([lookup, result]) => [lookup.key, result])))
  const values = new RequestValues(request, lookups, () => ({ object, old: null }))
  const warnings: string[] = []
  const annotations: [string, string][] = []
  const counted: (readonly string[])[] = []
  const objects = { object: object as unknown as KubernetesObject, old: undefined, namespaceLabels: () => ({}) }
  const denial = dispatchValidating(validatingHooks(policies, bindings, equivalentsIn({})), values, objects, {
    warn: (text) => void warnings.push(text),
    annotate: (key, value) => void annotations.push([key, value]),
    measure: (metric, labels) => {
      if (metric.endsWith('_total')) counted.push(labels)
    },
  })
  return { denial, warnings, annotations, counted }
}

const limitKind = { apiVersion: 'example.com/v1', kind: 'Limit' }
const isKnown = [paramKindLookup(limitKind), { isNamespaced: true, isWatched: true }] as const
const limit = (name: string, max: number): JsonObject => ({ ...limitKind, metadata: { name }, max })

describe('audit annotations of policies', () => {
  test('valueExpressions are annotated with the name of the policy, trimmed, without empty values', () => {
    const auditAnnotations = [
      { key: 'who', valueExpression: "'  ' + request.userInfo.username + ' '" },
      { key: 'empty', valueExpression: "' '" },
      { key: 'null', valueExpression: 'null' },
    ]
    const { denial, annotations } = evaluate([policy('notes', { auditAnnotations })], [binding('notes')], {})
    expect(denial).toBeUndefined()
    expect(annotations).toEqual([['notes/who', 'jane']])
  })

  test('distinct values for several parameters are joined', () => {
    const auditAnnotations = [{ key: 'max', valueExpression: 'string(params.max)' }]
    const bindings = [binding('notes', { paramRef: { selector: {}, parameterNotFoundAction: 'Deny' } })]
    const params = [limit('a', 3), limit('b', 5), limit('c', 3)]
    const found: Found = [isKnown, [paramsLookup(limitKind, { selector: {} }, 'shop'), params]]
    const { annotations } = evaluate([policy('notes', { paramKind: limitKind, auditAnnotations })], bindings, {}, found)
    expect(annotations).toEqual([['notes/max', '3, 5']])
  })

  test('long values are cut at 10 KiB', () => {
    const auditAnnotations = [{ key: 'long', valueExpression: 'string(object.data.long)' }]
    const { annotations } = evaluate([policy('notes', { auditAnnotations })], [binding('notes')], { long: 'é'.repeat(6000) })
    expect(annotations[0]?.[1]).toBe('é'.repeat(5120))
  })

  test('the action Audit annotates the failure as JSON and does not deny', () => {
    const validations = [{ expression: 'true' }, { expression: 'false', message: 'a < b' }]
    const bindings = [binding('rules', { validationActions: ['Audit', 'Warn'] })]
    const { denial, warnings, annotations, counted } = evaluate([policy('rules', { validations })], bindings, {})
    expect(denial).toBeUndefined()
    expect(warnings).toEqual(["Validation failed for ValidatingAdmissionPolicy 'rules' with binding 'rules-binding': a < b"])
    const failure =
      '[{"message":"a \\u003c b","policy":"rules","binding":"rules-binding","expressionIndex":1,"validationActions":["Audit","Warn"]}]'
    expect(annotations).toEqual([['validation.policy.admission.k8s.io/validation_failure', failure]])
    expect(counted).toEqual([
      ['rules', 'rules-binding', 'invalid_error', 'audit'],
      ['rules', 'rules-binding', 'invalid_error', 'warn'],
    ])
  })
})

describe('metrics of policies', () => {
  test('errors that failurePolicy Ignore admits are counted as allowed, and errors of match conditions by operation', () => {
    const ignoring = policy('rules', { failurePolicy: 'Ignore', validations: [{ expression: "object.data.none == ''" }] })
    const conditional = policy('conditional', {
      failurePolicy: 'Ignore',
      matchConditions: [{ name: 'broken', expression: "object.data.none == ''" }],
      validations: [{ expression: 'false' }],
    })
    const { denial, counted } = evaluate([ignoring, conditional], [binding('rules'), binding('conditional')], {})
    expect(denial).toBeUndefined()
    expect(counted).toEqual([
      ['conditional', 'policy', 'validate', 'CREATE'],
      ['rules', 'rules-binding', 'invalid_error', 'allow'],
    ])
  })
})

describe('denials', () => {
  test('the first policy by name that denies gives the message; others still warn and annotate', () => {
    const validations = [{ expression: 'false', reason: 'Forbidden' }]
    const policies = [policy('b', { validations }), policy('a', { validations }), policy('c', { validations })]
    const bindings = [binding('c', { validationActions: ['Warn'] }), binding('b'), binding('a')]
    const { denial, warnings } = evaluate(policies, bindings, {})
    expect(denial).toEqual({
      code: 403,
      reason: 'Forbidden',
      message: "ValidatingAdmissionPolicy 'a' with binding 'a-binding' denied request: failed expression: false",
    })
    expect(warnings).toHaveLength(1)
  })

  test('a policy is evaluated for each parameter', () => {
    const validations = [{ expression: 'size(object.data) <= params.max', messageExpression: 'string(params.metadata.name)' }]
    const bindings = [binding('limits', { paramRef: { selector: {} } })]
    const found: Found = [isKnown, [paramsLookup(limitKind, { selector: {} }, 'shop'), [limit('wide', 3), limit('narrow', 1)]]]
    const { denial, counted } = evaluate(
      [policy('limits', { paramKind: limitKind, validations })],
      bindings,
      { a: '', b: '' },
      found,
    )
    expect(denial?.message).toMatch(/denied request: narrow$/)
    expect(counted).toHaveLength(1)
  })

  test('a policy without a binding has no effect', () => {
    expect(evaluate([policy('lonely', { validations: [{ expression: 'false' }] })], [], {}).denial).toBeUndefined()
  })
})

describe('lookups of policies', () => {
  const validations = [{ expression: 'params == null || namespaceObject.metadata.name == params.metadata.name' }]

  test('parameters and the Namespace are looked up together', () => {
    const policies = [policy('one', { paramKind: limitKind, validations }), policy('two', { paramKind: limitKind, validations })]
    const bindings = [
      binding('one', { paramRef: { name: 'a' } }),
      binding('two', { paramRef: { name: 'b', namespace: 'other' } }),
    ]
    let missing: MissingLookups | undefined
    try {
      evaluate(policies, bindings, {})
    } catch (error) {
      if (error instanceof MissingLookups) missing = error
    }
    const expected = [
      namespaceObjectLookup('shop'),
      paramKindLookup(limitKind),
      paramsLookup(limitKind, { name: 'a' }, 'shop'),
      paramsLookup(limitKind, { name: 'b' }, 'other'),
    ]
    expect(missing?.lookups.map(({ key }) => key).sort()).toEqual(expected.map(({ key }) => key).sort())
  })

  test('an authorization check is a lookup, for the user or for a ServiceAccount', () => {
    const expression = "authorizer.serviceAccount('shop', 'robot').group('apps').resource('deployments').check('get').allowed()"
    const policies = [policy('checks', { validations: [{ expression }] })]
    const check = {
      kind: 'resource' as const,
      group: 'apps',
      resource: 'deployments',
      subresource: '',
      namespace: '',
      name: '',
      fieldSelector: '',
      labelSelector: '',
      verb: 'get',
    }
    const lookup = workerLookup('authorization', { subject: { kind: 'serviceAccount', namespace: 'shop', name: 'robot' }, check })
    expect(() => evaluate(policies, [binding('checks')], {})).toThrow(MissingLookups)
    const decide = (allowed: boolean) =>
      evaluate(policies, [binding('checks')], {}, [[lookup, { allowed, reason: '', error: '' }]]).denial
    expect(decide(true)).toBeUndefined()
    expect(decide(false)?.message).toMatch(/denied request: failed expression: authorizer/)
  })

  test('a paramKind that has existed stays known after its definition is deleted', () => {
    const policies = [policy('limits', { paramKind: limitKind, validations: [{ expression: 'false' }] })]
    const bindings = [binding('limits', { paramRef: { name: 'a', parameterNotFoundAction: 'Deny' } })]
    const params = paramsLookup(limitKind, { name: 'a' }, 'shop')
    const unknown = [paramKindLookup(limitKind), null] as const
    const other = [policy('unknown', { paramKind: limitKind, validations: [{ expression: 'false' }] })]
    const ofOther = [binding('unknown', { paramRef: { name: 'a' } })]
    expect(evaluate(other, ofOther, {}, [unknown, [params, []]]).denial?.message).toBe(
      "ValidatingAdmissionPolicy 'unknown' denied request: failed to configure policy: " +
        "failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'",
    )
    expect(evaluate(policies, bindings, {}, [isKnown, [params, [limit('a', 1)]]]).denial?.message).toMatch(/failed expression/)
    expect(evaluate(policies, bindings, {}, [unknown, [params, []]]).denial?.message).toMatch(
      /failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction$/,
    )
  })
})

test('a policy is compiled once for each resourceVersion', () => {
  const first = policy('rules', { validations: [{ expression: 'true' }] })
  expect(compileValidatingPolicy(structuredClone(first))).toBe(compileValidatingPolicy(first))
  expect(compileValidatingPolicy(policy('rules', first.spec))).not.toBe(compileValidatingPolicy(first))
})

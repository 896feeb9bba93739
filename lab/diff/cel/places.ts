/** Objects with expressions that are compiled when the object is written, and evaluated elsewhere. */
import type { JsonObject } from '../../../src/go/json-value.ts'

/** An object with expressions, and its path. */
export interface Holder {
  readonly path: string
  readonly object: JsonObject
}

/** Puts expressions into an object. */
export type Place = (expressions: readonly string[]) => Holder

const registration = 'admissionregistration.k8s.io/v1'
const metadata: JsonObject = { name: 'generated-expressions' }
const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }]

const policy = (kind: string, resource: string, spec: JsonObject): Holder => ({
  path: `/apis/${registration}/${resource}`,
  object: {
    apiVersion: registration,
    kind,
    metadata,
    spec: {
      failurePolicy: 'Fail',
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConstraints: { resourceRules },
      ...spec,
    },
  },
})

const validating = (spec: JsonObject): Holder => policy('ValidatingAdmissionPolicy', 'validatingadmissionpolicies', spec)
const validations: JsonObject[] = [{ expression: 'true' }]

/** Makes each expression a variable, and uses the variables as validations, which must be bool. */
const variables: Place = (expressions) =>
  validating({
    variables: expressions.map((expression, i) => ({ name: `v${i}`, expression })),
    validations: expressions.map((_, i) => ({ expression: `variables.v${i}` })),
  })

const mutations: Place = (expressions) =>
  policy('MutatingAdmissionPolicy', 'mutatingadmissionpolicies', {
    reinvocationPolicy: 'Never',
    mutations: expressions.map((expression, i) =>
      i % 2 === 0
        ? {
            patchType: 'ApplyConfiguration',
            applyConfiguration: { expression: `Object{spec: Object.spec{value: ${expression}}}` },
          }
        : { patchType: 'JSONPatch', jsonPatch: { expression: `[JSONPatch{op: "add", path: "/a", value: ${expression}}]` } },
    ),
  })

const webhooks: Place = (expressions) => ({
  path: `/apis/${registration}/validatingwebhookconfigurations`,
  object: {
    apiVersion: registration,
    kind: 'ValidatingWebhookConfiguration',
    metadata,
    webhooks: [
      {
        name: 'generated.example.com',
        clientConfig: { url: 'https://example.com' },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        matchConditions: expressions.map((expression, i) => ({ name: `c${i}`, expression })),
      },
    ],
  },
})

const devices: Place = (expressions) => ({
  path: '/apis/resource.k8s.io/v1/deviceclasses',
  object: {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceClass',
    metadata,
    spec: {
      selectors: expressions.map((expression) => ({
        cel: { expression: expression.replaceAll(/\b(?:object|oldObject|params)\b/g, 'device.attributes["a.b"]') },
      })),
    },
  },
})

/** All places where expressions are only compiled. */
export const compiledOnly: Readonly<Record<string, Place>> = {
  validations: (expressions) => validating({ validations: expressions.map((expression) => ({ expression })) }),
  messageExpressions: (expressions) =>
    validating({ validations: expressions.map((messageExpression) => ({ expression: 'true', messageExpression })) }),
  matchConditions: (expressions) =>
    validating({ validations, matchConditions: expressions.map((expression, i) => ({ name: `c${i}`, expression })) }),
  auditAnnotations: (expressions) =>
    validating({
      auditAnnotations: expressions.map((valueExpression, i) => ({ key: `k${i}`, valueExpression })),
    }),
  variables,
  mutations,
  webhooks,
  devices,
}

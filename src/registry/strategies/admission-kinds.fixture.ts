/** Recorded validation errors of kube-apiserver 1.36: admission webhooks and policies. */
import type { Changed, Created } from './validated.fixture.ts'

/** Rows of [kind, object, errors on create]. */
export const created: readonly Created[] = [
  [
    'admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    {
      webhooks: [
        {
          name: 'short',
          sideEffects: 'Some',
          admissionReviewVersions: ['v1'],
          clientConfig: { url: 'https://example.com/x' },
          timeoutSeconds: 31,
          failurePolicy: 'Never',
          matchPolicy: 'Loose',
        },
      ],
    },
    [
      'webhooks[0].name: Invalid value: "short": should be a domain with at least three segments separated by dots',
      'webhooks[0].failurePolicy: Unsupported value: "Never": supported values: "Fail", "Ignore"',
      'webhooks[0].matchPolicy: Unsupported value: "Loose": supported values: "Equivalent", "Exact"',
      'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
      'webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
    ],
  ],
  [
    'admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    {
      webhooks: [
        {
          name: 'a.example.com',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          clientConfig: { url: 'http://u@example.com/?q#f' },
        },
        { name: 'a.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'], clientConfig: {} },
      ],
    },
    [
      'webhooks[0].clientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
      'webhooks[0].clientConfig.url: Invalid value: "u": user information is not permitted in the URL',
      'webhooks[0].clientConfig.url: Invalid value: "f": fragments are not permitted in the URL',
      'webhooks[0].clientConfig.url: Invalid value: "q": query parameters are not permitted in the URL',
      'webhooks[1].clientConfig: Required value: exactly one of url or service is required',
      'webhooks[1].name: Duplicate value: "a.example.com"',
    ],
  ],
  [
    'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    {
      webhooks: [
        {
          name: 'a.example.com',
          sideEffects: 'None',
          admissionReviewVersions: ['v2', '-'],
          clientConfig: { service: { name: '', namespace: '', path: 'a//b', port: 0 } },
          reinvocationPolicy: 'Always',
        },
      ],
    },
    [
      'webhooks[0].reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"',
      'webhooks[0].clientConfig.service.name: Required value',
      'webhooks[0].clientConfig.service.namespace: Required value',
      'webhooks[0].clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
      'webhooks[0].clientConfig.service.path: Invalid value: "a//b": must start with a \'/\'',
      'webhooks[0].clientConfig.service.path: Invalid value: "a//b": segment[0] may not be empty',
      'webhooks[0].clientConfig.service.path: Invalid value: "a//b": segment[1] may not be empty',
      "webhooks[0].admissionReviewVersions[1]: Invalid value: \"-\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      'webhooks[0].admissionReviewVersions: Invalid value: ["v2","-"]: must include at least one of v1, v1beta1',
    ],
  ],
  [
    'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    {
      webhooks: [
        {
          name: 'a.example.com',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          clientConfig: { url: 'https://example.com/x' },
          rules: [
            {
              operations: ['*', 'CREATE', 'READ'],
              apiGroups: ['*', 'x'],
              apiVersions: [''],
              resources: ['*', 'pods', '*/scale', 'deployments/scale'],
              scope: 'World',
            },
          ],
        },
      ],
    },
    [
      'webhooks[0].rules[0].operations: Invalid value: ["*","CREATE","READ"]: if \'*\' is present, must not specify other operations',
      'webhooks[0].rules[0].operations[2]: Unsupported value: "READ": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
      'webhooks[0].rules[0].apiGroups: Invalid value: ["*","x"]: if \'*\' is present, must not specify other API groups',
      'webhooks[0].rules[0].apiVersions[0]: Required value',
      'webhooks[0].rules[0].resources[3]: Invalid value: "deployments/scale": if \'*/scale\' is present, must not specify deployments/scale',
      'webhooks[0].rules[0].resources: Invalid value: ["*","pods","*/scale","deployments/scale"]: if \'*\' is present, must not specify other resources without subresources',
      'webhooks[0].rules[0].scope: Unsupported value: "World": supported values: "*", "Cluster", "Namespaced"',
    ],
  ],
  [
    'admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    { spec: { failurePolicy: 'Maybe' } },
    [
      'spec.failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"',
      'spec.matchConstraints: Required value',
      'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
      'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
    ],
  ],
  [
    'admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    {
      spec: {
        matchConstraints: {
          resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
        },
        validations: [
          { expression: ' ', reason: 'Teapot' },
          { expression: 'true', message: 'a\nb' },
        ],
        paramKind: { apiVersion: '', kind: 'Bad Kind' },
      },
    },
    [
      'spec.paramKind.apiVersion: Required value',
      "spec.paramKind.kind: Invalid value: \"Bad Kind\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      'spec.validations[0].expression: Required value: expression is not specified',
      'spec.validations[0].reason: Unsupported value: "Teapot": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
      'spec.validations[1].message: Invalid value: "a\\nb": must not contain line breaks',
    ],
  ],
  [
    'admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    {
      spec: {
        matchConstraints: {
          resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
        },
        validations: [{ expression: 'true' }],
        auditAnnotations: [
          { key: 'a b', valueExpression: '' },
          { key: 'k', valueExpression: "'x'" },
          { key: 'k', valueExpression: "'x'" },
        ],
        matchConditions: [{ name: '', expression: '' }],
        variables: [{ name: '1x', expression: '' }],
      },
    },
    [
      'spec.matchConditions[0].expression: Required value',
      'spec.matchConditions[0].name: Required value',
      'spec.variables[0].name: Invalid value: "1x": must be a valid CEL identifier',
      'spec.variables[0].expression: Required value: expression is not specified',
      "spec.auditAnnotations[0].key: Invalid value: \"a/a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'spec.auditAnnotations[0].valueExpression: Required value: valueExpression is not specified',
      'spec.auditAnnotations[2].key: Duplicate value: "k"',
    ],
  ],
  [
    'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
    { spec: { policyName: '', validationActions: ['Deny', 'Warn', 'Shout'] } },
    [
      'spec.policyName: Required value',
      'spec.validationActions[2]: Unsupported value: "Shout": supported values: "Audit", "Deny", "Warn"',
      'spec.validationActions: Invalid value: ["Deny","Warn","Shout"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    ],
  ],
  [
    'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
    {
      spec: {
        policyName: 'p',
        validationActions: ['Audit', 'Audit'],
        paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'Cry' },
      },
    },
    [
      'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
      'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
      'spec.paramRef.parameterNotFoundAction: Unsupported value: "Cry": supported values: "Deny", "Allow"',
      'spec.validationActions[1]: Duplicate value: "Audit"',
    ],
  ],
  [
    'admissionregistration.k8s.io/v1/mutatingadmissionpolicies',
    {
      spec: {
        matchConstraints: {
          resourceRules: [{ operations: ['DELETE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
        },
        reinvocationPolicy: 'Ever',
        mutations: [{ patchType: 'ApplyConfiguration' }, { patchType: 'Magic' }],
      },
    },
    [
      'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
      'spec.mutations[0].applyConfiguration: Required value: must be specified when patchType is ApplyConfiguration',
      'spec.mutations[1].patchType: Unsupported value: "Magic": supported values: "ApplyConfiguration", "JSONPatch"',
      'spec.reinvocationPolicy: Unsupported value: "Ever": supported values: "IfNeeded", "Never"',
    ],
  ],
  [
    'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings',
    { spec: { policyName: 'Bad_Name', paramRef: {} } },
    [
      "spec.policyName: Invalid value: \"Bad_Name\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'spec.paramRef: Required value: one of name or selector must be specified',
      'spec.paramRef.parameterNotFoundAction: Required value',
    ],
  ],
]

/** Rows of [kind, old object, new object, errors on update]. */
export const changed: readonly Changed[] = [
  [
    'admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    {
      webhooks: [
        {
          name: 'a.example.com',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          clientConfig: { url: 'https://example.com/x' },
        },
      ],
    },
    {
      webhooks: [
        {
          name: 'a.example.com',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          clientConfig: { url: 'https://example.com/x' },
        },
        {
          name: 'a.example.com',
          sideEffects: 'Some',
          admissionReviewVersions: ['v1'],
          clientConfig: { url: 'https://example.com/x' },
        },
      ],
    },
    [
      'webhooks[1].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
      'webhooks[1].name: Duplicate value: "a.example.com"',
    ],
  ],
]

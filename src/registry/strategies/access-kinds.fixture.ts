/** Recorded validation errors of kube-apiserver 1.36: CertificateSigningRequests, flow control and APIServices. */
import type { Changed, Created } from './validated.fixture.ts'

/** The base64 of the PEM of a certificate request that is signed with a P-256 key. */
const signingRequest =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIVE1Ib0NBUUF3R0RFS01BZ0dBMVVFQXd3QllURUtNQWdHQTFVRUNnd0JZakJaTUJNR0J5cUdTTTQ5QWdFRwpDQ3FHU000OUF3RUhBMElBQkRlaVc0aEd5dklNNVpHWVJPYmNZYlNIV01FbmMwcVZQaUU0STVJTXJPYmxoZFM4CnUrQnBKdTE2MEVuWDBJN3VwVDVHc3lISHg5MStvUDV0MzNVODMxbWdBREFLQmdncWhrak9QUVFEQWdOSkFEQkcKQWlFQWtuNmdJQUZnVHJURmlnODRhTDJvWC9wRGlob2UyM2wxbU54YUkrN3d0aGtDSVFEd0tubDArV1N6YjUySgp0eHgvYU9jYUIzOWxmbU5oUHlmY2FpeVJxRGhXbHc9PQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K'
/** The first 40 bytes of the same request. */
const cutRequest =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIVE1Ib0NBUUF3R0RFS01BZ0dBMVVFQXd3QllURUtNQWdHQTFVRUNnd0JZakJaTUJNR0J3PT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg=='

/** Rows of [kind, object, errors on create]. */
export const created: readonly Created[] = [
  [
    'certificates.k8s.io/v1/certificatesigningrequests',
    { spec: { request: 'AAAA', signerName: 'plain', usages: [], expirationSeconds: 5 } },
    [
      'spec.request: Invalid value: "AAAA": PEM block type must be CERTIFICATE REQUEST',
      'spec.usages: Required value',
      'spec.signerName: Invalid value: "plain": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
      'spec.expirationSeconds: Invalid value: 5: may not specify a duration less than 600 seconds (10 minutes)',
    ],
  ],
  [
    'certificates.k8s.io/v1/certificatesigningrequests',
    { spec: { request: signingRequest, signerName: 'example.com/s', usages: ['signing', 'signing', 'writing'] } },
    [
      'spec.usages[2]: Unsupported value: "writing": supported values: "any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment", "decipher only", "digital signature", "email protection", "encipher only", "ipsec end system", "ipsec tunnel", "ipsec user", "key agreement", "key encipherment", "microsoft sgc", "netscape sgc", "ocsp signing", "s/mime", "server auth", "signing", "timestamping"',
      'spec.usages[1]: Duplicate value: "signing"',
    ],
  ],
  [
    'certificates.k8s.io/v1/certificatesigningrequests',
    { spec: { request: cutRequest, signerName: 'example.com/', usages: ['any'] } },
    [
      `spec.request: Invalid value: "${cutRequest}": asn1: syntax error: data truncated`,
      "spec.signerName: Invalid value: \"\": validating label \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    'flowcontrol.apiserver.k8s.io/v1/flowschemas',
    { spec: { priorityLevelConfiguration: { name: '' }, matchingPrecedence: 10001, distinguisherMethod: { type: 'ByMood' } } },
    [
      'spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000',
      'spec.distinguisherMethod.type: Unsupported value: {"Type":"ByMood"}: supported values: "ByNamespace", "ByUser"',
      'spec.priorityLevelConfiguration.name: Required value: must reference a priority level',
    ],
  ],
  [
    'flowcontrol.apiserver.k8s.io/v1/flowschemas',
    {
      spec: {
        priorityLevelConfiguration: { name: 'x' },
        matchingPrecedence: 5,
        rules: [
          { subjects: [], resourceRules: [{ verbs: [], apiGroups: ['*', 'x'], resources: [], namespaces: ['Bad_NS'] }] },
          {
            subjects: [
              { kind: 'Robot' },
              { kind: 'User', group: { name: 'g' } },
              { kind: 'ServiceAccount', serviceAccount: { namespace: '', name: '*' } },
            ],
            nonResourceRules: [{ verbs: ['fly'], nonResourceURLs: ['a', '/a*b', '/x/*'] }],
          },
        ],
      },
    },
    [
      'spec.rules[0].subjects: Required value: subjects must contain at least one value',
      'spec.rules[0].resourceRules[0].verbs: Required value: verbs must contain at least one value',
      'spec.rules[0].resourceRules[0].apiGroups: Invalid value: ["*","x"]: if \'*\' is present, must not specify other api groups',
      'spec.rules[0].resourceRules[0].resources: Required value: resource rules must supply at least one resource',
      "spec.rules[0].resourceRules[0].namespaces[0]: Invalid value: \"Bad_NS\": each member of this list must be '*' or a DNS-1123 label; a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      'spec.rules[1].subjects[0].kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"',
      "spec.rules[1].subjects[1].user: Required value: user is required when subject kind is 'User'",
      "spec.rules[1].subjects[1].group: Forbidden: group is forbidden when subject kind is not 'Group'",
      'spec.rules[1].subjects[2].serviceAccount.namespace: Required value: must specify namespace for service account',
      'spec.rules[1].nonResourceRules[0].verbs: Unsupported value: ["fly"]: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"',
      'spec.rules[1].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "a": must start with slash',
      'spec.rules[1].nonResourceRules[0].nonResourceURLs[1]: Invalid value: "/a*b": wildcard can only do suffix matching',
    ],
  ],
  [
    'flowcontrol.apiserver.k8s.io/v1/flowschemas',
    { spec: { priorityLevelConfiguration: { name: 'x' }, matchingPrecedence: 1 } },
    ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
  ],
  [
    'flowcontrol.apiserver.k8s.io/v1/flowschemas',
    { metadata: { name: 'exempt' }, spec: { priorityLevelConfiguration: { name: 'x' }, matchingPrecedence: 1 } },
    [
      'spec: Invalid value: {"PriorityLevelConfiguration":{"Name":"x"},"MatchingPrecedence":1,"DistinguisherMethod":null,"Rules":null}: spec of \'exempt\' must equal the fixed value',
    ],
  ],
  [
    'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
    { spec: { type: 'Limited', exempt: {} } },
    [
      'spec.exempt: Forbidden: must be nil if the type is Limited',
      'spec.limited: Required value: must not be empty when type is Limited',
    ],
  ],
  [
    'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
    {
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: -1,
          lendablePercent: 101,
          borrowingLimitPercent: -1,
          limitResponse: { type: 'Queue', queuing: { queues: 10, handSize: 20, queueLengthLimit: -1 } },
        },
      },
    },
    [
      'spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer',
      'spec.limited.limitResponse.queuing.queueLengthLimit: Invalid value: -1: must be positive',
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 20: should not be greater than queues (10)',
      'spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive',
      'spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer',
    ],
  ],
  [
    'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
    { spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject', queuing: {} } } } },
    ['spec.limited.limitResponse.queuing: Forbidden: must be nil if limited.limitResponse.type is not Limited'],
  ],
  [
    'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
    { spec: { type: 'Exempt', limited: {} } },
    [
      "spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'",
      'spec.limited: Forbidden: must be nil if the type is not Limited',
    ],
  ],
  [
    'apiregistration.k8s.io/v1/apiservices',
    {
      metadata: { name: 'v1.example.org' },
      spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 0, versionPriority: 2000 },
    },
    [
      'metadata.name: Invalid value: "v1.example.org": must be `spec.version+"."+spec.group`: "v1.example.com"',
      'spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000',
      'spec.versionPriority: Invalid value: 2000: must be positive and less than 1000',
    ],
  ],
  [
    'apiregistration.k8s.io/v1/apiservices',
    {
      metadata: { name: 'v1.example.com' },
      spec: {
        group: 'example.com',
        version: 'v1',
        groupPriorityMinimum: 1,
        versionPriority: 1,
        caBundle: 'AAAA',
        insecureSkipTLSVerify: true,
      },
    },
    [
      'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle',
      'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
    ],
  ],
  [
    'apiregistration.k8s.io/v1/apiservices',
    {
      metadata: { name: 'v1.example.com' },
      spec: {
        group: 'example.com',
        version: 'v1',
        groupPriorityMinimum: 1,
        versionPriority: 1,
        service: { namespace: '', name: '', port: 70000 },
        caBundle: 'AAAA',
        insecureSkipTLSVerify: true,
      },
    },
    [
      'spec.service.namespace: Required value',
      'spec.service.name: Required value',
      'spec.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive',
      'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
    ],
  ],
]

/** Rows of [kind, old object, new object, errors on update]. */
export const changed: readonly Changed[] = [
  [
    'certificates.k8s.io/v1/certificatesigningrequests',
    { spec: { request: signingRequest, signerName: 'example.com/s', usages: ['signing'] } },
    { spec: { request: signingRequest, signerName: 'example.com/t', usages: ['signing'] } },
    [],
  ],
]

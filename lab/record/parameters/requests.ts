/**
 * Requests that try each parameter with each value on each verb, of a built-in kind, a subresource and a custom resource.
 * kube-apiserver's responses are recorded in conformance/recorded/parameters.jsonl.
 */

/** Query strings by parameter name. `+` and other special characters are already escaped. */
const values: Readonly<Record<string, readonly string[]>> = {
  timeout: ['timeout=abc', 'timeout=', 'timeout=1ns', 'timeout=1', 'TIMEOUT=abc'],
  limit: ['', 'abc', '-1', '1', '1.5', '99999999999999999999', '%201', '%2B1', '0x1', '1e3', '1_0'].map(
    (value) => `limit=${value}`,
  ),
  continue: ['', 'abc', 'e30', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MCwic3RhcnQiOiJhIn0', 'eyJ2IjoiYSJ9', '%ff'].map(
    (value) => `continue=${value}`,
  ),
  resourceVersion: ['', '0', 'abc', '-1', '1.5', '%2B1', '99999999999999999999', '0x1'].map(
    (value) => `resourceVersion=${value}`,
  ),
  resourceVersionMatch: [
    ...['', 'abc', 'exact', 'Exact', 'NotOlderThan'].map((value) => `resourceVersionMatch=${value}`),
    ...['', 'abc', 'exact', 'Exact', 'NotOlderThan'].map((value) => `resourceVersion=0&resourceVersionMatch=${value}`),
    'continue=abc&resourceVersion=0&resourceVersionMatch=Exact',
  ],
  timeoutSeconds: ['', 'abc', '-1', '1.5', '1m'].map((value) => `timeoutSeconds=${value}`),
  watch: ['', '0', '1', 'true', 'TRUE', 'T', 'false', 'FALSE', 'F', 'abc'].map((value) => `watch=${value}&timeoutSeconds=1`),
  allowWatchBookmarks: ['', '0', 'abc', 'F'].map((value) => `allowWatchBookmarks=${value}`),
  sendInitialEvents: [
    ...['', '0', 'true', 'abc', 'FALSE'].map((value) => `sendInitialEvents=${value}`),
    'sendInitialEvents=true&resourceVersionMatch=Exact',
    'sendInitialEvents=true&resourceVersionMatch=abc',
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=abc',
  ],
  dryRun: [
    'dryRun=',
    'dryRun=All',
    'dryRun=all',
    'dryRun=abc',
    'dryRun=All,All',
    'dryRun=All&dryRun=All',
    'dryRun=All&dryRun=',
    'dryRun=a&dryRun=b',
  ],
  fieldManager: ['', 'a'.repeat(128), 'a'.repeat(129), 'a%00b', '%C3%BC', 'a/b', '%20', '%07%7f', '%ff'].map(
    (value) => `fieldManager=${value}`,
  ),
  fieldValidation: ['', 'Strict', 'strict', 'abc', 'Warn', 'Ignore'].map((value) => `fieldValidation=${value}`),
  gracePeriodSeconds: ['', 'abc', '-1', '1.5', '0', '30s'].map((value) => `gracePeriodSeconds=${value}`),
  orphanDependents: ['', 'abc', 'true', '1', '0', 'F'].map((value) => `orphanDependents=${value}`),
  propagationPolicy: [
    ...['', 'abc', 'Orphan', 'background', 'Foreground'].map((value) => `propagationPolicy=${value}`),
    'orphanDependents=true&propagationPolicy=Orphan',
    'orphanDependents=&propagationPolicy=abc',
    'propagationPolicy=abc&dryRun=abc',
  ],
  pretty: ['', '0', '1', 'true', 'false', 'abc', 'FALSE'].map((value) => `pretty=${value}`),
  force: ['', 'abc', 'true', '0'].map((value) => `force=${value}`),
  ignoreStoreReadErrorWithClusterBreakingPotential: [
    ...['', 'abc', 'true', '1', 'F'].map((value) => `ignoreStoreReadErrorWithClusterBreakingPotential=${value}`),
    'ignoreStoreReadErrorWithClusterBreakingPotential=true&dryRun=All',
    'ignoreStoreReadErrorWithClusterBreakingPotential=true&gracePeriodSeconds=1',
    'ignoreStoreReadErrorWithClusterBreakingPotential=true&propagationPolicy=Background',
    'ignoreStoreReadErrorWithClusterBreakingPotential=true&orphanDependents=false',
  ],
  labelSelector: ['', '%21', 'a=%3D%3D', 'a%20b', 'a%20in%20(', 'a%3D%C3%BC', '-a', 'a%3Db,,c', 'a%3Db&labelSelector=%21'].map(
    (value) => `labelSelector=${value}`,
  ),
  fieldSelector: [
    '',
    'abc',
    'a%3Db',
    'metadata.name%3Da',
    'metadata.name',
    'metadata.name%3Da&fieldSelector=abc',
    'metadata.name%3D%5Cx',
    ',',
  ].map((value) => `fieldSelector=${value}`),
  shardSelector: ['', 'abc', 'shardRange(object.metadata.uid,%20%270x0%27,%20%270x8%27)'].map(
    (value) => `shardSelector=${value}`,
  ),
  unknown: [
    'unknown=abc',
    'LIMIT=abc',
    'Limit=abc',
    'DryRun=abc',
    'kind=abc',
    'apiVersion=abc',
    'name=abc',
    'namespace=abc',
    'uid=abc',
    'preconditions=abc',
    'preconditions.uid=abc',
  ],
  export: ['export=', 'export=true', 'export=0', 'exact=true', 'includeUninitialized=true'],
  repeated: [
    'limit=1&limit=abc',
    'limit=abc&limit=1',
    'resourceVersion=abc&resourceVersion=0',
    'pretty=true&pretty=false',
    'fieldManager=a&fieldManager=%07',
  ],
  includeObject: ['includeObject=abc', 'includeObject='],
  malformed: ['limit=%zz', 'limit=abc;x', ';', '&&', '=', '=abc', 'limit', '%6Cimit=abc'],
}

/** Parameters of logs, each tried alone. */
const logValues = [
  ...['container', 'follow', 'previous', 'timestamps'].flatMap((name) => [`${name}=`, `${name}=abc`]),
  ...['sinceSeconds', 'tailLines', 'limitBytes'].flatMap((name) =>
    ['', 'abc', '-1', '0', '1.5'].map((value) => `${name}=${value}`),
  ),
  ...['', 'abc', '2020-01-01T00:00:00Z', '2020-01-01'].map((value) => `sinceTime=${value}`),
  'sinceSeconds=1&sinceTime=2020-01-01T00:00:00Z',
  ...['', 'abc', 'All', 'Stdout'].map((value) => `stream=${value}`),
  'stream=Stdout&tailLines=1',
  'insecureSkipTLSVerifyBackend=abc',
  'timeout=abc',
]

export const namespace = 'parameters'
export const group = 'parameters.example.com'

/** A custom resource definition with all subresources. */
export const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `plains.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'plains', kind: 'Plain' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}

/** One request. */
export interface Trial {
  readonly method: string
  /** Ends with the query. */
  readonly path: string
  readonly query: string
  readonly contentType: string
  /** `$N` stands for a name that is unique to the trial. */
  readonly body?: string
  /** Whether an object of that name is created first. */
  readonly creates: boolean
}

/** A resource whose verbs are tried. */
interface Subject {
  readonly collection: string
  readonly object: string
  readonly apiVersion: string
  readonly kind: string
}

const core = `/api/v1/namespaces/${namespace}`
const custom = `/apis/${group}/v1/namespaces/${namespace}/plains`

const subjects: readonly Subject[] = [
  { collection: `${core}/configmaps`, object: 'there', apiVersion: 'v1', kind: 'ConfigMap' },
  { collection: custom, object: 'there', apiVersion: `${group}/v1`, kind: 'Plain' },
]

/** Objects that exist before the first trial. */
export const prepared: readonly { readonly path: string; readonly body: object }[] = [
  { path: '/api/v1/namespaces', body: { metadata: { name: namespace } } },
  ...subjects.map(({ collection, object, apiVersion, kind }) => ({
    path: collection,
    body: { apiVersion, kind, metadata: { name: object } },
  })),
]

const json = 'application/json'

function trialsOf({ collection, object, apiVersion, kind }: Subject, query: string): Trial[] {
  const bodyNamed = (name: string): string => JSON.stringify({ apiVersion, kind, metadata: { name } })
  const one = (method: string, path: string, contentType = json, body?: string): Trial => ({
    method,
    path: `${path}?${query}`,
    query,
    contentType,
    ...(body !== undefined && { body }),
    creates: path.endsWith('$N'),
  })
  const there = `${collection}/${object}`
  return [
    one('GET', there),
    one('GET', collection),
    { ...one('GET', collection), path: `${collection}?watch=true&timeoutSeconds=1&${query}` },
    one('POST', collection, json, bodyNamed('$N')),
    one('PUT', there, json, bodyNamed(object)),
    one('PATCH', there, 'application/merge-patch+json', '{}'),
    one('PATCH', there, 'application/apply-patch+yaml', bodyNamed(object)),
    one('DELETE', `${collection}/$N`),
  ]
}

/** Returns the trials of subresources and collections. */
function subresourceTrials(query: string): Trial[] {
  const status = `${custom}/there/status?${query}`
  const body = JSON.stringify({ apiVersion: `${group}/v1`, kind: 'Plain', metadata: { name: 'there' }, status: {} })
  return [
    { method: 'GET', path: status, query, contentType: json, creates: false },
    { method: 'PUT', path: status, query, contentType: json, body, creates: false },
    { method: 'PATCH', path: status, query, contentType: 'application/merge-patch+json', body: '{}', creates: false },
    // The selector matches nothing, so the collection stays.
    { method: 'DELETE', path: `${custom}?fieldSelector=metadata.name%3Dnone&${query}`, query, contentType: json, creates: false },
    {
      method: 'DELETE',
      path: `${core}/configmaps?fieldSelector=metadata.name%3Dnone&${query}`,
      query,
      contentType: json,
      creates: false,
    },
  ]
}

/** Returns all trials. The Pod of the log trials does not exist: parameters are checked first. */
export function trials(): Trial[] {
  const queries = Object.values(values).flat()
  return [
    ...queries.flatMap((query) => [...subjects.flatMap((subject) => trialsOf(subject, query)), ...subresourceTrials(query)]),
    ...logValues.map((query) => ({
      method: 'GET',
      path: `${core}/pods/none/log?${query}`,
      query,
      contentType: json,
      creates: false,
    })),
  ]
}

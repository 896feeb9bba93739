/** The answers of the recorded matrix's webhook, by the path at which it is called. */
import { gzipSync } from 'node:zlib'

/** The request of an AdmissionReview. */
export interface ReviewRequest {
  readonly uid: string
  readonly operation: string
  readonly object: { readonly metadata?: Readonly<Record<string, unknown>> } | null
  readonly oldObject: object | null
  readonly [field: string]: unknown
}

/** An AdmissionReview as it was sent. */
export interface Review {
  readonly apiVersion: string
  readonly kind: string
  readonly request: ReviewRequest
}

/** The answer of the webhook: the `response` of a review, or something else. */
export type Answer =
  | { readonly response: object }
  | { readonly body: string | Uint8Array; readonly status?: number; readonly headers?: Readonly<Record<string, string>> }
  | 'close'

const base64 = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64')

const respond =
  (fields: object) =>
  ({ request: { uid } }: Review): Answer => ({ response: { uid, allowed: true, ...fields } })

const patch = (operations: unknown): ((review: Review) => Answer) =>
  respond({ patchType: 'JSONPatch', patch: base64(operations) })

const deny = (status?: object): ((review: Review) => Answer) =>
  respond({ allowed: false, ...(status !== undefined && { status }) })

const raw =
  (body: string | Uint8Array, status = 200, type = 'application/json') =>
  (): Answer => ({
    body,
    status,
    headers: { 'content-type': type },
  })

const whole =
  (make: (uid: string) => unknown) =>
  ({ request: { uid } }: Review): Answer => ({ body: JSON.stringify(make(uid)) })

const type = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }
const label = (key: string, value: string) => ({ op: 'add', path: `/metadata/labels/${key}`, value })

/** The answers by path. */
export const answers: Readonly<Record<string, (review: Review) => Answer>> = {
  allow: respond({}),
  deny: deny(),
  'deny-message': deny({ message: 'no such pods' }),
  'deny-reason': deny({ reason: 'Forbidden' }),
  'deny-code': deny({ code: 403, reason: 'Forbidden', message: 'not you' }),
  'deny-details': deny({
    code: 422,
    reason: 'Invalid',
    message: 'bad',
    details: {
      name: 'n',
      group: 'g',
      kind: 'K',
      uid: 'u',
      causes: [{ reason: 'FieldValueInvalid', message: 'm', field: 'spec' }, { message: 'only' }],
      retryAfterSeconds: 7,
    },
  }),
  'deny-code-200': deny({ code: 200, message: 'fine' }),
  'deny-success': deny({ status: 'Success', message: 'fine' }),
  'deny-custom-status': deny({ status: 'Odd', code: 409, reason: 'MyReason' }),
  'deny-429': deny({ code: 429, reason: 'TooManyRequests', message: 'later', details: { retryAfterSeconds: 3 } }),
  'deny-warn': respond({ allowed: false, warnings: ['w1', 'w2'], status: { message: 'with warnings' } }),
  warn: respond({ warnings: ['first', 'second', 'first', '', 'with "quotes" and \\ and ü'] }),
  'warn-long': respond({ warnings: ['x'.repeat(300), 'y'.repeat(5000)] }),
  'warn-control': respond({ warnings: ['a\nb\tc\u0000d'] }),
  annotate: respond({ auditAnnotations: { key: 'value', 'bad key!': 'x', 'a/b': 'y' } }),
  status: respond({ status: { message: 'ignored' } }),
  'label-a': patch([label('a', '1')]),
  'label-a-again': patch([label('a', '2')]),
  'labels-whole': patch([{ op: 'add', path: '/metadata/labels', value: { whole: 'yes' } }]),
  'annotation-slash': patch([{ op: 'add', path: '/metadata/annotations', value: { 'example.com/x': 'y' } }]),
  'no-change': patch([{ op: 'test', path: '/kind', value: 'ConfigMap' }]),
  'empty-patch': patch([]),
  'patch-null': patch('null'),
  'patch-object': patch({}),
  'patch-garbage': respond({ patchType: 'JSONPatch', patch: base64('not json') }),
  'patch-not-base64': respond({ patchType: 'JSONPatch', patch: '***' }),
  'patch-missing-path': patch([{ op: 'add', path: '/spec/no/where', value: 1 }]),
  'patch-remove-missing': patch([{ op: 'remove', path: '/data/absent' }]),
  'patch-replace-missing': patch([{ op: 'replace', path: '/nowhere/a', value: 1 }]),
  'patch-test-fails': patch([{ op: 'test', path: '/metadata/name', value: 'other' }]),
  'patch-index': patch([{ op: 'add', path: '/spec/containers/7', value: {} }]),
  'patch-index-word': patch([{ op: 'add', path: '/spec/containers/x', value: {} }]),
  'patch-move-missing': patch([{ op: 'move', from: '/data/absent', path: '/data/b' }]),
  'patch-copy-missing': patch([{ op: 'copy', from: '/nowhere/absent', path: '/data/b' }]),
  'patch-unknown-op': patch([{ op: 'frob', path: '/data/a' }]),
  'patch-no-op': patch([{ path: '/data/a', value: 'x' }]),
  'patch-breaks-type': patch([{ op: 'add', path: '/data', value: 'text' }]),
  'patch-breaks-number': patch([{ op: 'add', path: '/spec/containers/0/image', value: 5 }]),
  'patch-invalid': patch([{ op: 'add', path: '/data', value: { 'bad key!': 'x' } }]),
  'patch-unknown-field': patch([{ op: 'add', path: '/unheardOf', value: { a: 1 } }]),
  'patch-kind': patch([{ op: 'replace', path: '/kind', value: 'Secret' }]),
  'patch-no-kind': patch([{ op: 'remove', path: '/kind' }]),
  'patch-version': patch([{ op: 'replace', path: '/apiVersion', value: 'v9' }]),
  'patch-name': patch([{ op: 'replace', path: '/metadata/name', value: 'renamed' }]),
  'patch-namespace': patch([{ op: 'replace', path: '/metadata/namespace', value: 'kube-system' }]),
  'patch-uid': patch([{ op: 'add', path: '/metadata/uid', value: 'my-uid' }]),
  'patch-whole': patch([
    { op: 'replace', path: '', value: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'replaced' } } },
  ]),
  'patch-managed-fields': patch([{ op: 'replace', path: '/metadata/managedFields', value: [] }]),
  'patch-broken-managed-fields': patch([
    { op: 'add', path: '/metadata/managedFields', value: [{ manager: 'x', operation: 'Other' }] },
  ]),
  'patch-owners': patch([
    {
      op: 'add',
      path: '/metadata/ownerReferences',
      value: [1, 2].map(() => ({ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' })),
    },
  ]),
  'patch-finalizer': patch([{ op: 'add', path: '/metadata/finalizers', value: ['example.com/x'] }]),
  'patch-image': patch([{ op: 'replace', path: '/spec/containers/0/image', value: 'patched' }]),
  'patch-second-container': patch([{ op: 'add', path: '/spec/containers/-', value: { name: 'side', image: 'car' } }]),
  'patch-replicas': patch([{ op: 'replace', path: '/spec/replicas', value: 5 }]),
  'patch-max-replicas': patch([{ op: 'replace', path: '/spec/maxReplicas', value: 9 }]),
  'patch-without-type': respond({ patch: base64([label('a', '1')]) }),
  'type-without-patch': respond({ patchType: 'JSONPatch' }),
  'type-empty': respond({ patchType: '', patch: base64([label('a', '1')]) }),
  'type-merge': respond({ patchType: 'MergePatch', patch: base64({ data: { a: 'b' } }) }),
  'patch-and-deny': respond({ allowed: false, patchType: 'JSONPatch', patch: base64([label('a', '1')]) }),
  'no-response': raw(JSON.stringify(type)),
  'wrong-uid': respond({ uid: 'other' }),
  'no-uid': respond({ uid: undefined }),
  'wrong-version': whole((uid) => ({ ...type, apiVersion: 'admission.k8s.io/v1beta1', response: { uid, allowed: true } })),
  'no-type': whole((uid) => ({ response: { uid, allowed: true } })),
  'no-kind': whole((uid) => ({ apiVersion: type.apiVersion, response: { uid, allowed: true } })),
  'no-api-version': whole((uid) => ({ kind: type.kind, response: { uid, allowed: true } })),
  'other-kind': whole((uid) => ({ apiVersion: 'v1', kind: 'Pod', response: { uid, allowed: true } })),
  'other-group-kind': whole((uid) => ({ apiVersion: 'admission.k8s.io/v1', kind: 'Other', response: { uid, allowed: true } })),
  'a-status': raw(JSON.stringify({ apiVersion: 'v1', kind: 'Status', status: 'Failure', message: 'as status', code: 500 })),
  'a-success': raw(JSON.stringify({ apiVersion: 'v1', kind: 'Status', status: 'Success' })),
  'allowed-text': respond({ allowed: 'yes' }),
  'allowed-missing': respond({ allowed: undefined }),
  'allowed-null': respond({ allowed: null }),
  'warnings-text': respond({ warnings: 'one' }),
  'annotations-list': respond({ auditAnnotations: ['a'] }),
  'status-text': respond({ allowed: false, status: 'no' }),
  'code-text': deny({ code: 'x' }),
  'response-list': whole(() => ({ ...type, response: [] })),
  'response-null': whole(() => ({ ...type, response: null })),
  garbage: raw('not json at all'),
  'garbage-brace': raw('{"apiVersion":'),
  'json-list': raw('[]'),
  'json-null': raw('null'),
  'json-text': raw('"text"'),
  'json-number': raw('5'),
  empty: raw(''),
  html: raw('<html></html>', 200, 'text/html'),
  'status-204': raw('', 204),
  'status-400': raw('bad request', 400, 'text/plain'),
  'status-401': raw('', 401, 'text/plain'),
  'status-403': raw('forbidden here', 403, 'text/plain'),
  'status-403-json': raw('{"a":1}', 403),
  'status-404': raw('404 page not found\n', 404, 'text/plain; charset=utf-8'),
  'status-405': raw('no', 405, 'text/plain'),
  'status-413': raw('too large', 413, 'text/plain'),
  'status-415': raw('media', 415, 'text/plain'),
  'status-418': raw('teapot', 418, 'text/plain'),
  'status-429': raw('slow down', 429, 'text/plain'),
  'status-500': raw('boom', 500, 'text/plain'),
  'status-500-json': raw('{"error":"boom"}', 500),
  'status-500-status': raw(
    JSON.stringify({ apiVersion: 'v1', kind: 'Status', status: 'Failure', message: 'own status', reason: 'Conflict', code: 409 }),
    500,
  ),
  'status-503': raw('away', 503, 'text/plain'),
  'status-200-review-500': whole((uid) => ({ ...type, response: { uid, allowed: true } })),
  gzip: ({ request: { uid } }) => ({
    body: gzipSync(JSON.stringify({ ...type, response: { uid, allowed: false, status: { message: 'packed' } } })),
    headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' },
  }),
  close: () => 'close',
  'duplicate-keys': ({ request: { uid } }) => ({
    body: `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"${uid}","allowed":false,"allowed":true}}`,
  }),
  'extra-fields': whole((uid) => ({ ...type, more: 1, response: { uid, allowed: true, other: { a: 1 } } })),
  'trailing-data': ({ request: { uid } }) => ({
    body: `${JSON.stringify({ ...type, response: { uid, allowed: true } })} trailing`,
  }),
  yaml: ({ request: { uid } }) => ({
    body: `apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nresponse:\n  uid: ${uid}\n  allowed: true\n`,
  }),
}

/** Headers that have broken servers before, and handshakes of upgraded connections. */

/** Headers with their values. */
export const headers: Readonly<Record<string, readonly string[]>> = {
  accept: [
    ...[
      'application/json',
      'application/yaml',
      'application/vnd.kubernetes.protobuf',
      'application/cbor',
      '*/*',
      '',
      'x',
      'text/html',
      'text/plain',
    ],
    ...['application/json;as=Table;v=v1;g=meta.k8s.io', 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'],
    ...[
      'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
      'application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io',
    ],
    ...[
      'application/yaml;as=Table;v=v1;g=meta.k8s.io',
      'application/json;as=Table;v=v2;g=meta.k8s.io',
      'application/json;as=x',
      'application/json;stream=watch',
    ],
    ...[
      'application/vnd.kubernetes.protobuf;stream=watch',
      'application/json;q=0',
      'application/json;q=x;;;',
      'application/json, */*;q=0.1',
      ';',
      ',',
      '*/json',
    ],
    ...[
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
      'application/cbor-seq',
      'application/json;pretty=1',
    ],
    ...[
      'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
      'application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io',
      ',application/json;'.repeat(300),
    ],
  ],
  'content-type': [
    ...[
      'application/json',
      'application/yaml',
      'application/vnd.kubernetes.protobuf',
      'application/cbor',
      'application/merge-patch+json',
      'text/plain',
    ],
    ...[
      'application/strategic-merge-patch+json',
      'application/json-patch+json',
      'application/apply-patch+yaml',
      'application/apply-patch+cbor',
      '',
      'x',
      '/',
      '*/*',
    ],
    ...[
      'application/json; charset=utf-8',
      'application/json; charset=utf-16',
      'application/json;;;',
      'APPLICATION/JSON',
      'multipart/form-data; boundary=a',
      'application/x-www-form-urlencoded',
      ';'.repeat(3000),
    ],
  ],
  'content-encoding': ['gzip', 'deflate', 'identity', 'br', 'x', 'gzip, gzip'],
  'accept-encoding': ['gzip', 'gzip;q=0', 'identity', 'br', '*', 'x', 'gzip;q=x', ''],
  authorization: [
    'Bearer ',
    'Bearer x',
    'Bearer a.b.c',
    'bearer',
    'Basic YTpi',
    'Basic !',
    '',
    'Negotiate x',
    'Bearer eyJhbGciOiJub25lIn0.e30.',
    `Bearer ${'x'.repeat(5000)}`,
    'Bearer \u00e4',
  ],
  'impersonate-user': [
    'alice',
    '',
    'system:anonymous',
    'system:serviceaccount:default:default',
    'system:serviceaccount:a',
    '\u00e4',
    'x'.repeat(3000),
  ],
  'impersonate-group': ['system:masters', 'system:authenticated', '', 'x'],
  'impersonate-uid': ['1', ''],
  'impersonate-extra-a%2fb': ['c'],
  'impersonate-extra-%zz': ['c'],
  'if-none-match': ['*', '"x"', 'x', ''],
  'if-match': ['*', '"x"'],
  'if-modified-since': ['x', 'Sun, 22 Nov 2026 12:00:00 GMT'],
  range: ['bytes=0-1', 'x'],
  origin: ['https://example.com', 'null', ''],
  'access-control-request-method': ['PUT', 'x'],
  expect: ['100-continue', 'x'],
  'user-agent': ['', 'x'.repeat(2000), 'kubectl/v1.36.0', '%00', '\u00ff'],
  'x-forwarded-for': ['1.2.3.4', 'x'],
  'x-forwarded-host': ['example.com'],
  'x-remote-user': ['admin'],
  'x-http-method-override': ['DELETE'],
  'audit-id': ['x', '', 'x'.repeat(500), '\u00e4'],
  'edgeplane-operation': ['{"verb":"get"}'],
  'kubectl-command': ['x'],
  warning: ['299 - "x"'],
  traceparent: ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'x'],
  cookie: ['a=b', '='],
}

/** WebSocket handshakes, complete and incomplete. */
export const handshakes: readonly (readonly (readonly [string, string])[])[] = ((): (readonly [string, string])[][] => {
  const upgrade: (readonly [string, string])[] = [
    ['connection', 'Upgrade'],
    ['upgrade', 'websocket'],
  ]
  const version = ['sec-websocket-version', '13'] as const
  const key = ['sec-websocket-key', 'c2l4dGVlbiBieXRlcy4uLi4='] as const
  const whole = [...upgrade, version, key]
  return [
    whole,
    [...whole, ['sec-websocket-protocol', 'v4.channel.k8s.io']],
    [...whole, ['sec-websocket-protocol', 'v5.channel.k8s.io, SPDY/3.1+portforward.k8s.io']],
    [...whole, ['sec-websocket-protocol', 'base64url.bearer.authorization.k8s.io.eA, x']],
    [...whole, ['sec-websocket-protocol', 'base64.binary.k8s.io']],
    [...whole, ['sec-websocket-protocol', 'x']],
    [...whole, ['sec-websocket-protocol', '']],
    upgrade,
    [...upgrade, version],
    [...upgrade, key],
    [...upgrade, key, ['sec-websocket-version', '7']],
    [...upgrade, version, ['sec-websocket-key', 'x']],
    [
      ['connection', 'Upgrade'],
      ['upgrade', 'SPDY/3.1'],
      ['x-stream-protocol-version', 'v4.channel.k8s.io'],
    ],
    [
      ['connection', 'Upgrade'],
      ['upgrade', 'h2c'],
      ['http2-settings', 'AAMAAABkAARAAAAAAAIAAAAA'],
    ],
    [['upgrade', 'websocket']],
  ]
})()

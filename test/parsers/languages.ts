/** The languages that clients write, each with its parser and the errors that the parser may throw. */
import { parseFieldsV1 } from '../../src/apply/fields-v1.ts'
import { parseDistinguishedName } from '../../src/auth/distinguished-name.ts'
import { unverifiedClaims } from '../../src/auth/jwt/claims.ts'
import { certificateError } from '../../src/catalog/validation/certificates/pem.ts'
import { requestError } from '../../src/catalog/validation/certificates/request.ts'
import { compile } from '../../src/cel/compile.ts'
import { KUBERNETES } from '../../src/cel/kubernetes-environment.ts'
import { DYN } from '../../src/cel/types.ts'
import { jsonPathOf } from '../../src/crd/json-path.ts'
import { patternError } from '../../src/crd/schema/pattern.ts'
import { parseDuration } from '../../src/go/duration.ts'
import { parseJson } from '../../src/go/json.ts'
import { duplicateFields } from '../../src/go/json-duplicates.ts'
import { JsonSyntaxError } from '../../src/go/json-syntax.ts'
import type { JsonObject, JsonValue } from '../../src/go/json-value.ts'
import { parseTime } from '../../src/go/time.ts'
import { parseAccept } from '../../src/http/codec/accept.ts'
import { negotiateInput } from '../../src/http/codec/content-type.ts'
import { requestInfo } from '../../src/http/request-info.ts'
import { parseFieldSelector } from '../../src/meta/field-selector.ts'
import { parseLabelSelector } from '../../src/meta/label-selector.ts'
import { readListOptions } from '../../src/meta/list-options.ts'
import { parseQuantity } from '../../src/meta/quantity.ts'
import { parseQuery } from '../../src/meta/query.ts'
import { contains, hostBits, parseCidr, parseIp } from '../../src/net/ip.ts'
import { parseUrl, UrlError } from '../../src/net/url.ts'
import { jsonPatch } from '../../src/patch/json-patch.ts'
import { mergePatch } from '../../src/patch/merge-patch.ts'
import { canonicalBase64 } from '../../src/schema/base64.ts'
import { decodeContinue } from '../../src/storage/continue-token.ts'
import { readYaml } from '../../src/yaml/parse.ts'
import { YamlSyntaxError } from '../../src/yaml/reader/source.ts'
import type { Language } from './texts.ts'

/** A language and its parser. */
export interface Parser extends Language {
  readonly name: string
  /** Parses a text and processes the result as the server does. */
  readonly read: (text: string) => unknown
  /** The error classes of the parser, besides ApiError and Error itself. */
  readonly declared?: readonly (new (
    ...args: never[]
  ) => Error)[]
}

const target = (): JsonObject => ({
  metadata: { name: 'web', labels: { app: 'web' }, finalizers: ['a', 'b'] },
  spec: { ports: [{ port: 80, name: 'http' }, { port: 53 }], selector: null },
  'a/b~c': [[1], {}],
})

const jsonTokens = [
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  '"a"',
  '"b":',
  '1',
  '-',
  '.',
  'e',
  'E+',
  '01',
  '1e999',
  'true',
  'false',
  'null',
  'nul',
  '"\\u',
  'd800"',
  '"\\',
  '/*',
  '9223372036854775808',
]
const jsonSamples = [
  '{"a":1,"b":[true,false,null],"c":{"d":"\\u00e4\\ud83d\\ude00"}}',
  '[1,-2.5e10,0.1E-2]',
  '{"a":1,"a":2,"__proto__":{}}',
  '"x"',
  ' [ ] ',
]

const yamlTokens = [
  'a: ',
  '- ',
  '? ',
  ': ',
  ', ',
  '[',
  ']',
  '{',
  '}',
  '&a ',
  '*a',
  '!!str ',
  '!!binary ',
  '!<x> ',
  '<<: ',
  '| ',
  '>-',
  '|2\n',
  '#',
  '---\n',
  '...\n',
  '%YAML 1.1\n',
  '"',
  "'",
  '\n  ',
  '\n',
  '\t',
  '0x1F',
  '1_000',
  '.inf',
  '~',
  'yes',
  '2026-01-01',
  '"\\x',
  '1:30',
]
const yamlSamples = [
  'apiVersion: v1\nkind: ConfigMap\ndata:\n  a: |\n    x\n    y\n  b: >-\n    folded\n    text\n',
  'a: &x {b: [1, 2]}\nc: *x\nd:\n  <<: *x\n',
  '- 1\n- "two"\n- \'three\'\n- ? complex\n  : key\n',
  '{"a":[1,2,{"b":null}]}',
]

const cel = KUBERNETES.extend({ variables: { self: DYN, oldSelf: DYN } })
const self = { metadata: { name: 'web' }, spec: { replicas: 3, items: [1, 2, 3] } }
const celTokens = [
  'self',
  '.a',
  '.spec',
  '[0]',
  '[',
  ']',
  '(',
  ')',
  '{',
  '}',
  ',',
  ':',
  '?',
  ' ? 1 : 2',
  ' + ',
  ' - ',
  '!',
  ' in ',
  ' && ',
  ' || ',
  ' == ',
  ' < ',
  '.all(x, ',
  '.map(x, ',
  '.exists_one(x, ',
  'has(',
  'size(',
  '1u',
  '1.5',
  '"a"',
  "r'",
  '"""',
  'b"\\xff"',
  'null',
  '.matches("',
  '[?0]',
  '.?a',
  'duration("1s")',
  'quantity("1Gi")',
  'cel.bind(x, ',
]
const celSamples = [
  'self.spec.replicas > 1 && self.metadata.name.matches("^w.*$")',
  'self.spec.items.all(x, x > 0) ? "a" + "b" : string(1)',
  'has(self.spec.x) || [1, 2].map(x, x * 2).exists(y, y == 4)',
  'size({"a": [1u, 2u]}["a"]) == 2',
  'duration("1h") + duration("30m") > duration("1h")',
]

/** The cost limit of one evaluation, as in admission. */
const costLimit = 10_000

function evaluate(text: string): unknown {
  const compiled = compile(text, cel)
  if (compiled.kind === 'issues') return compiled.text
  const program = compiled.expression.plan()
  compiled.expression.estimateCost(() => undefined)
  return 'evaluate' in program ? program.evaluate({ self: self, oldSelf: self } as never, costLimit) : program
}

const selectorTokens = [
  'a',
  'app',
  '=',
  '==',
  '!=',
  '!',
  ',',
  ' in ',
  ' notin ',
  '(',
  ')',
  'x',
  '>',
  '<',
  '1',
  'example.com/a',
  '/',
  '\\',
  '\\,',
  '..',
]

const patchTokens = [
  '[',
  ']',
  '{',
  '}',
  ',',
  '"op":',
  '"add"',
  '"remove"',
  '"move"',
  '"copy"',
  '"test"',
  '"path":',
  '"from":',
  '"value":',
  '"/metadata/labels/app"',
  '"/spec/ports/0"',
  '"/spec/ports/-"',
  '"/a~1b~0c/0"',
  '"/"',
  '""',
  '"/~2"',
  'null',
  '{"a":1}',
  '-1',
  '"/spec/ports/00"',
]
const patchSamples = [
  '[{"op":"add","path":"/metadata/labels/x","value":"y"},{"op":"remove","path":"/spec/ports/0"}]',
  '[{"op":"move","from":"/spec/ports/0","path":"/spec/ports/-"}]',
  '[{"op":"copy","from":"","path":"/spec/copy"},{"op":"test","path":"/a~1b~0c/0/0","value":1}]',
  '{"metadata":{"labels":null},"spec":{"ports":[]}}',
]

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const pem = (type: string, der: string): string => `-----BEGIN ${type}-----\n${der}\n-----END ${type}-----\n`
const derTokens = [
  'MII',
  'MIIB',
  'AgEA',
  'MA0GCSqGSIb3DQEBCwUAA4IBAQ',
  'MAAw',
  'oIGA',
  'MIAw',
  'BgNVBAMM',
  'AAAA',
  '/////',
  '=',
  '==',
  '\n',
  'hH////8C',
  'MP8=',
]

/** All textual languages. Objects that are patched, applied and decoded are in engines.test.ts. */
export const parsers: readonly Parser[] = [
  {
    name: 'JSON',
    tokens: jsonTokens,
    samples: jsonSamples,
    read: (text) => [parseJson(text), parseJson(text, 'verbatim'), duplicateFields(text)],
    declared: [JsonSyntaxError],
  },
  { name: 'YAML', tokens: yamlTokens, samples: yamlSamples, read: readYaml, declared: [YamlSyntaxError] },
  { name: 'expressions of CEL', tokens: celTokens, samples: celSamples, read: evaluate },
  {
    name: 'label selectors',
    tokens: selectorTokens,
    samples: ['a=b,c!=d', 'app in (x,y), !z', 'n > 1,m<2', 'example.com/a notin (b)'],
    read: parseLabelSelector,
  },
  {
    name: 'field selectors',
    tokens: selectorTokens,
    samples: ['metadata.name=a,spec.nodeName!=b', 'a=\\,\\=\\\\', 'a==b'],
    read: parseFieldSelector,
  },
  { name: 'JSON Patches', tokens: patchTokens, samples: patchSamples, read: (text) => jsonPatch(target(), text) },
  {
    name: 'merge patches',
    tokens: jsonTokens,
    samples: patchSamples,
    read: (text) => [mergePatch(target(), text, false), mergePatch(target(), text, true)],
  },
  {
    name: 'field sets',
    tokens: [...jsonTokens, '"f:a"', '"k:{\\"a\\":1}"', '"v:1"', '"i:0"', '"."', ':{}'],
    samples: [
      '{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:ports":{"k:{\\"port\\":80}":{".":{}}}}}',
      '{"v:\\"a\\"":{},"i:-1":{}}',
    ],
    read: (text) => parseFieldsV1(parseJson(text) as JsonValue),
    declared: [JsonSyntaxError],
  },
  {
    name: 'JSONPath',
    tokens: [
      '.',
      '..',
      'a',
      'spec',
      '[',
      ']',
      '*',
      '0',
      '-1',
      ':',
      ',',
      '?(@.',
      ')',
      '==',
      '"x"',
      "'x'",
      '{',
      '}',
      'range',
      'end',
      '@',
      '$',
      '\\.',
      '>',
      '1.5',
    ],
    samples: [
      '.spec.ports[0].port',
      '.spec.ports[?(@.port>1)].name',
      "['spec']['ports'][-1:]",
      '..port',
      '.metadata.labels.example\\.com/a',
    ],
    read: (text) => jsonPathOf(text)?.find(target()),
  },
  {
    name: 'continue tokens',
    tokens: ['eyJ', 'InYi', 'OiJ', 'e30', '=', '-', '_', '+', '/', 'bnVsbA', 'W10'],
    samples: [
      base64('{"v":"meta.k8s.io/v1","rv":5,"start":"a/b"}').replace(/=+$/, ''),
      base64('{"v":"meta.k8s.io/v1","rv":-1,"start":"../../x"}'),
    ],
    read: decodeContinue,
  },
  {
    name: 'Accept',
    tokens: ['application', '/', 'json', '*', ';', ',', 'q=', '0.5', 'as=Table', 'v=v1', 'g=meta.k8s.io', '=', '"', ' '],
    samples: [
      'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;q=0.9,*/*;q=0.1',
      'text/html, application/xhtml+xml',
    ],
    read: parseAccept,
  },
  {
    name: 'Content-Type',
    tokens: ['application', '/', 'json', 'yaml', ';', ',', 'charset=', '"', 'utf-8', '*', "*=utf-8''x", '*0=a', ' '],
    samples: ['application/json; charset="utf-8"', 'application/apply-patch+yaml', 'multipart/form-data; boundary=x'],
    read: (text) => negotiateInput(text),
  },
  {
    name: 'certificate signing requests',
    tokens: derTokens,
    samples: [base64(pem('CERTIFICATE REQUEST', 'MIIBFzCBvQIBADA=')), base64(pem('CERTIFICATE REQUEST', 'AAAA')), base64('x')],
    read: requestError,
  },
  {
    name: 'certificates',
    tokens: derTokens,
    samples: [base64(pem('CERTIFICATE', 'MIIBFzCBvQIBADA=')), base64(pem('CERTIFICATE', ''))],
    read: certificateError,
  },
  {
    name: 'JSON Web Tokens',
    tokens: ['eyJ', 'e30', '.', '..', 'bnVsbA', '=', '_', 'W10'],
    samples: [`${base64('{"alg":"none"}')}.${base64('{"sub":"x","iss":"y","exp":1}')}.x`, 'a.b.c'],
    read: unverifiedClaims,
  },
  {
    name: 'addresses',
    tokens: ['10', '.', ':', '::', 'ffff', '/', '32', '129', '%eth0', '256', '01', 'x', '[', ']'],
    samples: ['10.0.0.1', '::ffff:1.2.3.4', '2001:db8::/32', '10.0.0.0/8', 'fe80::1%eth0'],
    read: (text) => {
      const [address, block] = [parseIp(text), parseCidr(text)]
      return block === undefined ? address : [hostBits(block), contains(block, block.address)]
    },
  },
  {
    name: 'quantities',
    tokens: ['1', '0', '-', '+', '.', 'e', 'E', '9', 'Ki', 'Ei', 'm', 'n', 'k', 'x', '999999999'],
    samples: ['1Gi', '100m', '1.5e3', '-0.000001', '9223372036854775807', '1e1000000000'],
    read: parseQuantity,
  },
  {
    name: 'durations',
    tokens: ['1', '0', '-', '+', '.', 'h', 'm', 's', 'ms', 'us', '\u00b5s', 'ns', '9999999', 'd'],
    samples: ['1h30m', '1.5s', '-2562047h47m16.854775808s', '0'],
    read: parseDuration,
  },
  {
    name: 'times',
    tokens: ['2026', '-', '01', 'T', ':', '23', '59', '60', '.', '999999999', 'Z', '+01:00', '24', '02-30', ' '],
    samples: ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.123456789+01:00', '0000-01-01T00:00:00Z'],
    read: (text) => parseTime(text),
  },
  {
    name: 'URLs',
    tokens: ['http', 's', '://', '//', ':', '@', '[', ']', '::1', '/', '?', '#', '%2f', '%zz', 'example.com', '443', '..'],
    samples: ['https://example.com:443/a?b#c', 'http://user:pass@[::1]:80/', '/a/../b'],
    read: parseUrl,
    declared: [UrlError],
  },
  {
    name: 'paths and queries',
    tokens: [
      '/',
      '//',
      'api',
      'apis',
      'v1',
      'namespaces',
      'a',
      'pods',
      'watch',
      '%2f',
      '%00',
      '%ff',
      '%zz',
      '..',
      '.',
      '?',
      '&',
      ';',
      'watch=1',
      'limit=',
      'continue=',
      'labelSelector=a',
      'resourceVersion=0',
      'fieldSelector=a=b',
    ],
    samples: [
      '/api/v1/namespaces/a/pods/b/status?limit=5&watch=true',
      '/apis/apps/v1/deployments?labelSelector=a%3Db',
      '/api/v1/watch/pods',
    ],
    read: (text) => {
      const [path = '', ...rest] = text.split('?')
      const query = parseQuery(rest.join('?'))
      return [requestInfo('GET', path, query), readListOptions(query)]
    },
  },
  {
    name: 'distinguished names',
    tokens: ['CN', '=', ',', '+', '\\', '\\2C', '#', '04', '"', 'O', ' ', ';', '<', '2.5.4.3'],
    samples: ['CN=a,O=b', 'CN=a\\,b+OU=c', '2.5.4.3=#0401'],
    read: parseDistinguishedName,
  },
  {
    name: 'base64',
    tokens: ['AAAA', 'A', '=', '==', '-', '_', '/', '+', '\n', 'AA=A'],
    samples: ['dmFsdWU=', 'AA==', 'AAA=\n'],
    read: canonicalBase64,
  },
  {
    name: 'patterns of schemas',
    tokens: [
      'a',
      '.',
      '*',
      '+',
      '?',
      '(',
      ')',
      '(?:',
      '(?P<a>',
      '[',
      ']',
      '[^',
      '{2,}',
      '{1000}',
      '|',
      '^',
      '$',
      '\\d',
      '\\p{L}',
      '\\1',
      '(?=',
      '\\b',
      '(?i)',
    ],
    samples: ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', '(a|b){1,3}', '(a+)+$'],
    read: patternError,
  },
]

/** CustomResourceDefinitions as projects have them: schemas of realistic size with realistic rules. */
import type { CustomResourceDefinition } from '../../src/crd/definition.ts'
import type { JsonSchema } from '../../src/crd/json-schema.ts'
import type { JsonObject } from '../../src/go/json-value.ts'

const text = (description: string, more: Partial<JsonSchema> = {}): JsonSchema => ({ type: 'string', description, ...more })
const flag = (description: string, value: boolean): JsonSchema => ({ type: 'boolean', description, default: value })
const texts = (description: string, more: Partial<JsonSchema> = {}): JsonSchema => ({
  type: 'array',
  description,
  items: { type: 'string', ...more },
  'x-kubernetes-list-type': 'atomic',
})

const hostPattern = '^(\\*\\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'

const reference: JsonSchema = {
  type: 'object',
  description: 'Where the issuer of this certificate is found, in the same namespace unless its kind is one of the cluster.',
  required: ['name'],
  properties: {
    name: text('Name of the resource that is referred to.', { minLength: 1, maxLength: 253 }),
    kind: text('Kind of the resource that is referred to.', { default: 'Issuer', enum: ['Issuer', 'ClusterIssuer'] }),
    group: text('Group of the resource that is referred to.', { default: 'certs.example.com' }),
  },
}

const keystore = (name: string): JsonSchema => ({
  type: 'object',
  description: `Configures the additional ${name} keystore that is written beside the certificate.`,
  required: ['create', 'passwordSecretRef'],
  properties: {
    create: flag(`Whether the ${name} keystore is made.`, false),
    alias: text('Under which the key is stored.', { default: 'certificate', maxLength: 63 }),
    passwordSecretRef: {
      type: 'object',
      description: 'The key of a Secret that holds the password.',
      required: ['name'],
      properties: {
        name: text('Name of the Secret.', { minLength: 1 }),
        key: text('Key in the Secret.', { default: 'password' }),
      },
    },
  },
})

const route: JsonSchema = {
  type: 'object',
  description: 'One way in which a certificate is checked from outside, with the names that it is for.',
  required: ['name', 'port'],
  properties: {
    name: text('Tells the route from the others.', { maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' }),
    port: { type: 'integer', format: 'int32', description: 'Port.', minimum: 1, maximum: 65535 },
    weight: { type: 'integer', format: 'int32', description: 'Share.', default: 1, minimum: 0 },
    hosts: texts('Names that the route is for.', { pattern: hostPattern, maxLength: 253 }),
    timeout: text('How long is waited.', { format: 'duration', default: '30s' }),
    target: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }], description: 'Target.' },
    headers: {
      type: 'object',
      description: 'Headers.',
      additionalProperties: { type: 'string', maxLength: 256 },
      maxProperties: 16,
    },
  },
}

const condition: JsonSchema = {
  type: 'object',
  description: 'What is known of the certificate.',
  required: ['status', 'type'],
  properties: {
    type: text('What the condition is of.'),
    status: text('Whether it holds.', { enum: ['True', 'False', 'Unknown'] }),
    lastTransitionTime: text('When it began to.', { format: 'date-time' }),
    reason: text('In a word.'),
    message: text('In a sentence.'),
    observedGeneration: { type: 'integer', format: 'int64', description: 'Of which generation it is said.' },
  },
}

const usages = ['signing', 'digital signature', 'key encipherment', 'server auth', 'client auth', 'ipsec user', 'timestamping']

/** Ten typical CEL rules. */
export const rules: JsonSchema['x-kubernetes-validations'] = [
  { rule: 'self.dnsNames.size() > 0 || has(self.commonName)', message: 'a name is needed' },
  { rule: '!has(self.renewBefore) || !has(self.duration) || self.renewBefore != self.duration', message: 'renewed too early' },
  { rule: "!has(self.commonName) || self.commonName.size() <= 64 || self.commonName.startsWith('*')", message: 'too long' },
  { rule: "self.issuerRef.kind in ['Issuer', 'ClusterIssuer']", message: 'no such kind' },
  { rule: "self.dnsNames.all(name, !name.contains('..'))", message: 'an empty label' },
  { rule: 'self.routes.all(route, route.port != 22)', message: 'a port that is not served' },
  { rule: 'self.routes.exists(route, route.weight > 0)', message: 'one route must have weight' },
  { rule: "self.secretName.matches('^[a-z0-9.-]+$')", message: 'no name of a Secret' },
  { rule: "self.isCA ? self.usages.exists(usage, usage == 'signing') : true", message: 'an authority signs' },
  { rule: 'self.routes.map(route, route.weight).sum() <= 1000', message: 'more than all' },
]

const spec: JsonSchema = {
  type: 'object',
  description: 'What the certificate is to be like.',
  required: ['secretName', 'issuerRef'],
  properties: {
    secretName: text('Name of the Secret that the certificate is written to.', { minLength: 1, maxLength: 253 }),
    commonName: text('The common name, which few readers look at.', { maxLength: 128 }),
    dnsNames: {
      ...texts('Names that the certificate is for.', { pattern: hostPattern, maxLength: 253 }),
      default: [],
      maxItems: 100,
    },
    ipAddresses: { ...texts('Addresses that it is for.', { format: 'ipv4' }), maxItems: 100 },
    uris: texts('URIs that it is for.', { format: 'uri' }),
    duration: text('How long it is valid.', { format: 'duration', default: '2160h' }),
    renewBefore: text('How long before its end it is made anew.', { format: 'duration' }),
    isCA: flag('Whether it may sign others.', false),
    usages: {
      ...texts('What it may be used for.', { enum: usages, maxLength: 32 }),
      default: ['digital signature'],
      maxItems: 20,
    },
    issuerRef: reference,
    keystores: { type: 'object', description: 'Other forms.', properties: { jks: keystore('JKS'), pkcs12: keystore('PKCS#12') } },
    routes: {
      type: 'array',
      description: 'Ways in.',
      default: [],
      maxItems: 50,
      items: route,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    privateKey: {
      type: 'object',
      description: 'The key.',
      default: {},
      properties: {
        algorithm: text('Of the key.', { enum: ['RSA', 'ECDSA', 'Ed25519'], default: 'RSA' }),
        encoding: text('Of the key.', { enum: ['PKCS1', 'PKCS8'], default: 'PKCS1' }),
        rotationPolicy: text('Whether it is made anew.', { enum: ['Never', 'Always'], default: 'Always' }),
        size: { type: 'integer', description: 'Bits.', default: 2048, minimum: 256, maximum: 8192 },
      },
    },
    secretTemplate: {
      type: 'object',
      description: 'What the Secret has besides.',
      properties: {
        annotations: { type: 'object', description: 'Annotations.', additionalProperties: { type: 'string' } },
        labels: { type: 'object', description: 'Labels.', additionalProperties: { type: 'string' } },
      },
    },
  },
}

const status: JsonSchema = {
  type: 'object',
  description: 'What the certificate is like.',
  properties: {
    conditions: {
      type: 'array',
      description: 'Conditions.',
      items: condition,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
    notAfter: text('Its end.', { format: 'date-time' }),
    notBefore: text('Its beginning.', { format: 'date-time' }),
    revision: { type: 'integer', description: 'How often it was made.', minimum: 0 },
  },
}

/** The schema of a certificate. */
export const certificateSchema: JsonSchema = { type: 'object', description: 'A certificate.', properties: { spec, status } }

/** The same schema with the rules. */
export const ruledSchema: JsonSchema = {
  ...certificateSchema,
  properties: { status, spec: { ...spec, 'x-kubernetes-validations': rules ?? [] } },
}

const sentence = 'It is looked at when the object is made and whenever it changes, and what is not given here is left as it is.'

/** Returns the schema extended by fields with descriptions to about this number of bytes. */
function grown(bytes: number): JsonSchema {
  const properties: Record<string, JsonSchema> = {}
  const own = JSON.stringify(certificateSchema).length
  for (let size = own, i = 0; size < bytes; i++) {
    properties[`option${i}`] = {
      type: 'object',
      description: `Option ${i}. ${sentence} ${sentence}`,
      properties: { enabled: flag(`Whether option ${i} is used. ${sentence}`, false), value: text(sentence, { maxLength: 100 }) },
    }
    size += JSON.stringify(properties[`option${i}`]).length
  }
  const options: JsonSchema = { type: 'object', description: 'Options.', properties }
  return { ...certificateSchema, properties: { spec, status, options } }
}

/** Makes a definition: with the given schema, or one of 10 to 30 KB by `index`; twenty definitions share a group. */
export function definition(index: number, schema?: JsonSchema): CustomResourceDefinition {
  const group = `g${Math.floor(index / 20)}.bench.example.com`
  const kind = `Certificate${index}`
  const plural = `certificate${index}s`
  const openAPIV3Schema = schema ?? grown(10_000 + (index % 5) * 5000)
  const columns = [{ name: 'Secret', type: 'string', jsonPath: '.spec.secretName' }]
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural, shortNames: [`c${index}`] },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema },
          subresources: { status: {} },
          additionalPrinterColumns: columns,
        },
      ],
    },
  }
}

/** Makes an object of 4 KB for a definition. */
export function certificate({ spec: { group, names } }: CustomResourceDefinition, name: string): JsonObject {
  const routes = Array.from({ length: 12 }, (_, i) => ({
    name: `route-${i}`,
    port: 8000 + i,
    hosts: [`a${i}.example.com`, `*.b${i}.example.com`],
    target: i % 2 === 0 ? 80 : 'http',
    headers: { 'x-route': `${i}`, 'x-from': 'outside' },
    ...(i % 2 === 0 && { weight: 2, timeout: '5s' }),
  }))
  const conditions = ['Ready', 'Issuing'].map((type) => ({
    type,
    status: 'True',
    lastTransitionTime: '2026-01-01T00:00:00Z',
    reason: 'Done',
    message: 'The certificate is up to date and has not expired',
  }))
  return {
    apiVersion: `${group}/v1`,
    kind: names.kind,
    metadata: { name, labels: { app: 'bench', tier: 'front' }, annotations: { 'bench.example.com/note': 'n'.repeat(300) } },
    spec: {
      secretName: `${name}-tls`,
      commonName: 'www.example.com',
      dnsNames: Array.from({ length: 20 }, (_, i) => `host-${i}.example.com`),
      ipAddresses: ['10.0.0.1', '10.0.0.2'],
      uris: ['spiffe://cluster.local/ns/a/sa/b'],
      renewBefore: '360h',
      usages: ['digital signature', 'key encipherment', 'server auth'],
      issuerRef: { name: 'ca' },
      keystores: { jks: { create: true, passwordSecretRef: { name: 'password' } } },
      routes,
      secretTemplate: { annotations: { a: '1', b: '2' }, labels: { c: '3' } },
    },
    status: { conditions, notAfter: '2026-04-01T00:00:00Z', revision: 3 },
  }
}

/** Hand-made types, so that the tests of this folder need no tables. */
import type { JsonValue } from '../go/json-value.ts'
import type { Field, List, MapOf, Scalar, Special, Struct, Type } from '../schema/type.ts'

export const string: Scalar = { kind: 'string', go: 'string' }
export const number: Scalar = { kind: 'int32', go: 'int32' }
export const anything: Special = { kind: 'any', go: 'interface {}' }

const FIELD: Omit<Field, 'name' | 'type'> = {
  pointer: false,
  omitempty: true,
  omitzero: false,
  required: false,
  default: undefined,
  patchStrategy: [],
  patchMergeKey: '',
}

/** Returns a field that differs from one with omitempty. */
export function field(type: Type, differing: Partial<Field> = {}): Partial<Field> & { type: Type } {
  return { ...differing, type }
}

/** Returns a struct. A bare type becomes a field with omitempty. */
export function struct(name: string, fields: Record<string, Type | (Partial<Field> & { type: Type })>, atomic = false): Struct {
  const entries = Object.entries(fields).map(([key, member]): [string, Field] => [
    key,
    { ...FIELD, ...('type' in member ? member : { type: member }), name: key } as Field,
  ])
  return { kind: 'struct', go: `v1.${name}`, name, fields: new Map(entries), atomic }
}

export function mapOf(value: Type, atomic = false): MapOf {
  return { kind: 'map', go: `map[string]${value.go}`, value, atomic }
}

export function list(element: Type, listType: List['listType'] = 'atomic', keys: readonly string[] = []): List {
  return { kind: 'list', go: `[]${element.go}`, element, elementPointer: false, listType, keys }
}

const always: Partial<Field> = { omitempty: false }

const port = struct('Port', {
  name: string,
  port: field(number, always),
  protocol: field(string, { default: 'TCP' as JsonValue }),
})
const environment = struct('Environment', { name: field(string, always), value: string })
const container = struct('Container', {
  name: field(string, always),
  image: string,
  ports: list(port, 'map', ['port', 'protocol']),
  env: list(environment, 'map', ['name']),
  resources: struct('Resources', { limits: mapOf(string) }),
})

const spec = struct('Spec', {
  replicas: field(number, { pointer: true }),
  selector: mapOf(string, true),
  containers: field(list(container, 'map', ['name']), always),
  hosts: list(string),
  options: field(struct('Options', { mode: string }), { pointer: true }),
  owner: field(struct('Reference', { name: string }, true), { pointer: true }),
  free: anything,
})

/** A kind with fields of all sorts. */
export const widget = struct('Widget', {
  apiVersion: string,
  kind: string,
  metadata: struct('ObjectMeta', {
    name: string,
    uid: string,
    resourceVersion: string,
    labels: mapOf(string),
    annotations: mapOf(string),
    finalizers: list(string, 'set'),
    managedFields: list(struct('ManagedFieldsEntry', { manager: string })),
  }),
  data: mapOf(string),
  spec: field(spec, always),
  status: field(struct('Status', { phase: string, count: number }), always),
})

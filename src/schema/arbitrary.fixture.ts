/** Generates objects of Go types, as clients could send them. */
import fc from 'fast-check'
import { rawNumber } from '../go/json.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { Field, Struct, Type } from './type.ts'

/** Values that conversions and defaults distinguish, by the name of the field. */
const texts: Readonly<Record<string, readonly string[]>> = {
  annotations: ['3'],
  allocationMode: ['ExactCount', 'All', ''],
  apiGroup: ['', 'rbac.authorization.k8s.io', 'example.com'],
  apiVersion: ['v1', 'apps/v1', 'rbac.authorization.k8s.io/v1alpha1', ''],
  deviceClassName: ['gpu', ''],
  key: ['pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match', 'a'],
  kind: ['User', 'Group', 'ServiceAccount', 'Deployment', 'Lamp', ''],
  name: ['a', 'cpu', '*', ''],
  operator: ['Exists', 'DoesNotExist', 'In'],
  strategy: ['None', 'Webhook', ''],
  type: ['RollingUpdate', 'OnDelete', 'Recreate', 'Resource', 'Pods', 'Object', 'External', 'ContainerResource', 'Limited', ''],
  version: ['v1', 'v1beta1', ''],
}

/** Keys of maps that conversions treat in another way than others, by the name of the field. */
const keys: Readonly<Record<string, readonly string[]>> = {
  annotations: [
    'autoscaling.alpha.kubernetes.io/conditions',
    'deprecated.daemonset.template.generation',
    'deprecated.deployment.rollback.to',
    'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares',
  ],
  deprecatedTopology: ['kubernetes.io/hostname', 'rack'],
  topology: ['kubernetes.io/hostname', 'topology.kubernetes.io/zone', 'rack'],
}

/** Types of which only some fields matter here: the rest would make every object huge. */
const rare: ReadonlySet<string> = new Set(['v1.PodSpec', 'v1.ObjectMeta', 'v1.JSONSchemaProps', 'v1beta1.JSONSchemaProps'])

/** Fields of such types that do matter. */
const often: ReadonlySet<string> = new Set(['annotations', 'labels', 'selector'])

const mostDepth = 9

/** Returns how often a field that may be absent is present, as [frequency, of 20]. */
function presence(struct: Struct, depth: number): number {
  if (rare.has(struct.go)) return 1
  return depth <= 3 ? 13 : Math.max(4, 13 - 2 * (depth - 3))
}

const text = (name: string): fc.Arbitrary<string> => fc.constantFrom(...(texts[name] ?? ['a', 'b', '']))

/** Go keeps null for none of these kinds of values. */
function scalar(type: Type, name: string): fc.Arbitrary<JsonValue> {
  switch (type.kind) {
    case 'string':
      return text(name)
    case 'boolean':
      return fc.boolean()
    case 'float32':
    case 'float64':
      return fc.constantFrom(0, 0.5, 3)
    case 'time':
      return fc.constantFrom('2020-01-02T03:04:05Z', null)
    case 'microTime':
      return fc.constantFrom('2020-01-02T03:04:05.000006Z', null)
    case 'duration':
      return fc.constantFrom('1h0m0s', '0s')
    case 'quantity':
      return fc.constantFrom('0', '1', '100m', '2Gi')
    case 'intOrString':
      return fc.constantFrom<JsonValue>(0, 80, '25%', 'http')
    case 'bytes':
      return fc.constantFrom('YQ==', '')
    case 'rawExtension':
    case 'any':
      return fc.constantFrom<JsonValue>({ a: 1 })
    case 'fieldsV1':
      return fc.constant({})
    case 'int64':
      return fc.constantFrom<JsonValue>(0, 1, 7, rawNumber('9007199254740993'))
    default:
      return fc.constantFrom(0, 1, 7)
  }
}

function objects(type: Struct, depth: number): fc.Arbitrary<JsonValue> {
  if (depth > mostDepth) return fc.constant({})
  const fields = [...type.fields.values()].filter((field) => field.name !== 'managedFields')
  const present = presence(type, depth)
  const freq = (field: Field): number => (often.has(field.name) || (field.required && depth < mostDepth) ? 13 : present)
  const values = fields.map((field) => fc.option(fieldValue(field, depth), { nil: undefined, freq: freq(field) }))
  return fc.tuple(...values).map((all) => {
    const object: JsonObject = {}
    for (const [index, field] of fields.entries()) {
      const value = all[index]
      if (value !== undefined) object[field.name] = value
    }
    return object
  })
}

function fieldValue(field: Field, depth: number): fc.Arbitrary<JsonValue> {
  return arbitraryOf(field.type, field.name, depth + 1)
}

/**
 * Returns an arbitrary of values of a type.
 * @param name the name of the field that has the value
 */
export function arbitraryOf(type: Type, name = '', depth = 0): fc.Arbitrary<JsonValue> {
  if (type.kind === 'struct') return fc.constant(null).chain(() => objects(type, depth))
  if (type.kind === 'list') {
    return fc.array(
      fc.constant(null).chain(() => arbitraryOf(type.element, name, depth + 1)),
      { minLength: 1, maxLength: 2 },
    )
  }
  if (type.kind === 'map') {
    const key = fc.constantFrom(...(keys[name] ?? ['x', 'y']))
    return fc.dictionary(
      key,
      fc.constant(null).chain(() => arbitraryOf(type.value, name, depth + 1)),
      { maxKeys: 2 },
    )
  }
  return scalar(type, name)
}

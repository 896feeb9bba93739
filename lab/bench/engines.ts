/**
 * Measures the pure engines on the path of every write in isolation.
 */

import { applyConfiguration } from '../../src/apply/apply.ts'
import { updateManagedFields } from '../../src/apply/managers.ts'
import { paths } from '../../src/apply/path-set.ts'
import { messages } from '../../src/catalog/protobuf-messages.ts'
import { typeOf } from '../../src/catalog/scheme.ts'
import { compile, Program } from '../../src/cel/compile.ts'
import { KUBERNETES } from '../../src/cel/kubernetes-environment.ts'
import type { StructuralSchema } from '../../src/cel/schema.ts'
import { declaredType, objectsWithin } from '../../src/cel/schema-types.ts'
import { schemaReader } from '../../src/cel/schema-values.ts'
import { parseJson } from '../../src/go/json.ts'
import { duplicateFields } from '../../src/go/json-duplicates.ts'
import type { JsonObject } from '../../src/go/json-value.ts'
import { encodeMessage } from '../../src/protobuf/writer.ts'
import { decode } from '../../src/schema/decode.ts'
import { command } from '../command.ts'
import { admissionCases } from './admission.ts'
import { podCases } from './pod.ts'
import { writeResults } from './write-results.ts'

const configMap = JSON.stringify({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'bench', labels: { app: 'bench', tier: 'a' } },
  data: { k: 'x'.repeat(900), v: 'a' },
})
const parsedConfigMap = parseJson(configMap)
const container = (name: string): JsonObject => ({
  name,
  image: `${name}:1`,
  ports: [{ containerPort: 80, protocol: 'TCP' }],
  env: [{ name: 'A', value: '1' }],
  resources: { requests: { cpu: '0.5', memory: '1024Mi' } },
})
const podOf = (containers: readonly string[]): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'bench', labels: { app: 'bench' } },
    spec: { containers: containers.map(container) },
  })
const pod = podOf(['a', 'b', 'c', 'd', 'e'])
const reset = paths([['status']])

function managed(reference: string, text: string): () => unknown {
  const type = typeOf(reference)
  const object = decode(type, parseJson(text, 'verbatim'), { strict: true }).object
  const [, version = ''] = reference.split('/')
  const write = {
    type,
    apiVersion: version.split('.')[0] ?? '',
    old: undefined,
    new: object,
    managers: [],
    manager: 'bench',
    subresource: '',
  }
  return () => updateManagedFields({ ...write, time: '2026-01-01T00:00:00Z', resetFields: reset })
}

/** Makes an update that changes one label, to measure field tracking (managedFields). */
function updated(reference: string, text: string): () => unknown {
  const type = typeOf(reference)
  const object = decode(type, parseJson(text, 'verbatim'), { strict: true }).object
  const changed = structuredClone(object)
  ;(changed.metadata as JsonObject).labels = { app: 'changed' }
  const [, version = ''] = reference.split('/')
  const write = {
    type,
    apiVersion: version.split('.')[0] ?? '',
    subresource: '',
    time: '2026-01-01T00:00:00Z',
    resetFields: reset,
  }
  const managers = updateManagedFields({ ...write, old: undefined, new: object, managers: [], manager: 'maker' })
  const old = { ...object, metadata: { ...(object.metadata as JsonObject), uid: 'u' } }
  return () => updateManagedFields({ ...write, old, new: changed, managers, manager: 'bench' })
}

/** Applies a Pod template of ten containers again with another image in one of them. */
function applied(): () => unknown {
  const type = typeOf('core/v1.PodTemplate')
  const template = (image: string): JsonObject => ({
    apiVersion: 'v1',
    kind: 'PodTemplate',
    metadata: { name: 'bench' },
    template: { spec: { containers: [...'abcdefghij'].map((name) => ({ ...container(name), ...(name === 'e' && { image }) })) } },
  })
  const reader = (configuration: JsonObject): (() => JsonObject) => {
    const text = JSON.stringify(configuration)
    return () => parseJson(text) as JsonObject
  }
  const first = reader(template('e:1'))
  const second = reader(template('e:2'))
  const apply = {
    type,
    apiVersion: 'v1',
    called: '/bench; /v1, Kind=PodTemplate',
    calledLive: '/bench; /v1, Kind=PodTemplate',
    manager: 'bench',
    subresource: '',
    time: '2026-01-01T00:00:00Z',
    resetFields: reset,
    force: false,
  }
  const { object, managers } = applyConfiguration({ ...apply, live: undefined, configuration: first(), managers: [] })
  const live = decode(type, object).object
  const configuration = second()
  return () => applyConfiguration({ ...apply, live, configuration, managers })
}

function decoding(reference: string, text: string): () => unknown {
  const type = typeOf(reference)
  return () => decode(type, parseJson(text, 'verbatim'), { strict: true })
}

/** A Pod of 2 KB in JSON, in protobuf. */
function inProtobuf(): { readonly write: () => unknown; readonly writeStored: () => unknown; readonly read: () => unknown } {
  const object = decode(typeOf('core/v1.Pod'), parseJson(podOf([...'abcdefghijkl']), 'verbatim')).object
  const write = (): Uint8Array => encodeMessage((writer) => messages.write('core/v1.Pod', writer, object))
  const bytes = write()
  const stored = new TextEncoder().encode(JSON.stringify(object))
  const writeStored = (): Uint8Array => encodeMessage((writer) => void messages.writeText('core/v1.Pod', writer, stored))
  return { write, writeStored, read: () => messages.decode('core/v1.Pod', bytes) }
}
const protobuf = inProtobuf()

const replicas: StructuralSchema = {
  type: 'object',
  properties: { minReplicas: { type: 'integer' }, replicas: { type: 'integer' }, maxReplicas: { type: 'integer' } },
}
const rule = 'self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas'

function ruleEnvironment(): typeof KUBERNETES {
  const declared = declaredType(replicas, 'self', 'part')
  if (declared === undefined) throw new Error('the schema declares nothing')
  return KUBERNETES.extend({ variables: { self: declared.type }, objects: objectsWithin(declared) })
}

function planned(environment: typeof KUBERNETES): Program {
  const compiled = compile(rule, environment)
  const program = compiled.kind === 'issues' ? undefined : compiled.expression.plan()
  if (program instanceof Program) return program
  throw new Error('the rule does not compile')
}

function compiling(): () => unknown {
  const environment = ruleEnvironment()
  return () => planned(environment)
}

function evaluating(): () => unknown {
  const program = planned(ruleEnvironment())
  const read = schemaReader(replicas, 'part')
  const object = { minReplicas: 1, replicas: 3, maxReplicas: 5 }
  return () => program.evaluate({ self: read(object) }, 1_000_000)
}

const cases: Readonly<Record<string, () => unknown>> = {
  'parse and decode a ConfigMap of 1 KB': decoding('core/v1.ConfigMap', configMap),
  'find duplicate fields in a ConfigMap of 1 KB': () => duplicateFields(configMap, parsedConfigMap),
  'managed fields of a new ConfigMap': managed('core/v1.ConfigMap', configMap),
  'parse and decode a Pod of 5 containers': decoding('core/v1.Pod', pod),
  'compile a rule of a custom resource': compiling(),
  'evaluate a rule of a custom resource': evaluating(),
  'managed fields of a new Pod of 5 containers': managed('core/v1.Pod', pod),
  'managed fields of an updated Pod of 5 containers': updated('core/v1.Pod', pod),
  'apply of a Pod template of 10 containers': applied(),
  'write a Pod of 2 KB in protobuf': protobuf.write,
  'write a stored Pod of 2 KB in protobuf': protobuf.writeStored,
  'read a Pod of 2 KB in protobuf': protobuf.read,
  ...admissionCases,
  ...podCases,
}

/** Returns the median of nine runs of 2,000 calls, in microseconds per call. */
function microseconds(run: () => unknown): number {
  const times = Array.from({ length: 9 }, () => {
    const began = performance.now()
    for (let i = 0; i < 2000; i++) run()
    return (performance.now() - began) / 2
  })
  return times.sort((a, b) => a - b)[4] ?? Number.NaN
}

function run(): void {
  const result = Object.fromEntries(Object.entries(cases).map(([name, run]) => [name, Number(microseconds(run).toFixed(2))]))
  writeResults('engines', { unit: 'µs', ...result })
  for (const [name, value] of Object.entries(result)) console.log(`${String(value).padStart(8)} µs  ${name}`)
}

export default command({ run })

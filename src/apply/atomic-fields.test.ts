import { expect, test } from 'vitest'
import { typeOf } from '../catalog/scheme.ts'
import type { JsonObject } from '../go/json-value.ts'
import { atomicFields } from './atomic-fields.ts'

const deployment = typeOf('apps/v1.Deployment')

const inPodSpec = (spec: JsonObject): JsonObject => ({ spec: { template: { spec } } })

test('atomic lists, maps and structs of a configuration are found, in list items too', () => {
  const containers = [{ name: 'a', command: ['x'], ports: [{ containerPort: 80 }] }]
  expect(atomicFields(deployment, inPodSpec({ containers, nodeSelector: { a: 'b' } }))).toEqual([
    '.spec.template.spec.containers[0].command',
    '.spec.template.spec.nodeSelector',
  ])
  expect(atomicFields(deployment, { spec: { selector: { matchLabels: { a: 'b' } } } })).toEqual(['.spec.selector'])
})

test('granular maps, sets and lists with keys may be written', () => {
  const metadata = { labels: { a: 'b' }, finalizers: ['a/b'] }
  const spec = { containers: [{ name: 'a', env: [{ name: 'E', value: '1' }] }], securityContext: { runAsUser: 1 } }
  expect(atomicFields(deployment, { metadata, ...inPodSpec(spec) })).toEqual([])
})

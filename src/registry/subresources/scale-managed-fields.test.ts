import { expect, test } from 'vitest'
import { bodyKindOf, kindOf } from '../../catalog/scheme.ts'
import type { ManagedFieldsEntry } from '../../meta/object-meta.ts'
import { managedFieldsOfParent, managedFieldsOfScale } from './scale-managed-fields.ts'

const deployments = kindOf('apps', 'v1', 'deployments')
if (deployments === undefined) throw new Error('no deployments')
const scale = bodyKindOf(deployments, 'scale')

const entry = (manager: string, fields: readonly string[], more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager,
  operation: 'Update',
  apiVersion: 'apps/v1',
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': Object.fromEntries(fields.map((field) => [`f:${field}`, {}])) },
  ...more,
})

const ofScale = (entries: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] =>
  managedFieldsOfScale(entries, deployments, scale)
const ofParent = (before: readonly ManagedFieldsEntry[], left: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] =>
  managedFieldsOfParent(before, left, deployments, scale)

test('managedFields of a Scale contain only the owners of spec.replicas', () => {
  const entries = [
    entry('a', ['replicas', 'paused']),
    entry('b', ['paused']),
    entry('c', ['replicas'], { apiVersion: 'other/v1' }),
  ]
  expect(ofScale(entries)).toEqual([{ ...entry('a', ['replicas']), apiVersion: 'autoscaling/v1' }])
})

test('a write to /scale removes spec.replicas from former owners, which keep their other fields', () => {
  const before = [entry('a', ['replicas', 'paused']), entry('b', ['replicas'])]
  const writer = entry('w', ['replicas'], { apiVersion: 'autoscaling/v1', subresource: 'scale' })
  const { time: _time, ...untimed } = writer
  expect(ofParent(before, [writer])).toEqual([{ ...untimed, apiVersion: 'apps/v1' }, entry('a', ['paused'])])
})

test('a write to /scale leaves an Apply entry unchanged', () => {
  const applier = entry('a', ['paused', 'replicas'], { operation: 'Apply' })
  expect(ofParent([applier], ofScale([applier]))).toEqual([applier])
})

import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readLines } from '../../../conformance/lines.ts'
import { switchFeatureGates } from '../../config/feature-gates.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { strategyOf } from '../strategy.ts'
import { find, objectOf, toldOfChange, toldOfNew } from './validated.fixture.ts'

/** A row of lab/record/optional-kinds.ts. */
interface Row {
  readonly kind: string
  readonly name?: string
  readonly from?: JsonObject
  readonly object?: JsonObject
  readonly status?: JsonObject
  readonly then?: JsonObject
  readonly errors: readonly string[]
}

const withName = ({ name }: Row, object: JsonObject): JsonObject => ({
  ...object,
  metadata: { name: name ?? 'a', namespace: 'n', resourceVersion: '1' },
})

function toldOfStatus({ kind: path, from = {}, status = {}, then }: Row): string[] {
  const kind = find(path)
  const [object, old] = [
    objectOf(kind, { ...from, status: then ?? status }),
    objectOf(kind, then === undefined ? from : { ...from, status }),
  ]
  const errors = strategyOf(kind).subresources?.status?.validateUpdate?.(object, old, () => {}) ?? []
  return errors.map(({ field, text }) => `${field}: ${text}`)
}

function told(row: Row): string[] {
  const { kind, from, object = {}, status } = row
  if (status !== undefined) return toldOfStatus(row)
  if (from === undefined) return toldOfNew([kind, withName(row, object), []])
  return toldOfChange([kind, withName(row, from), withName(row, object), []])
}

/** Errors that admission plugins and the validation of metadata find. */
const isOfKind = (error: string): boolean => !error.startsWith('metadata.name') && !error.includes('is forbidden: ')

const rows = readLines<Row>(join(import.meta.dirname, '../../../conformance/recorded/optional-kinds.jsonl'))

beforeAll(() => switchFeatureGates('AllAlpha=true,AllBeta=true'))
afterAll(() => switchFeatureGates(''))

test.each(rows.filter(({ errors }) => errors.every((error) => !error.includes('is forbidden: '))))(
  'the errors of kube-apiserver for $kind: $errors',
  (row) => {
    expect(told(row).filter(isOfKind)).toEqual(row.errors.filter(isOfKind))
  },
)

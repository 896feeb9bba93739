import { expect, test } from 'vitest'
import type { JsonObject } from '../../go/json-value.ts'
import { allKinds } from '../scheme.ts'
import { printerOf } from './printers.ts'
import { NOW } from './rows.fixture.ts'

const kinds = [...allKinds()]
  .filter((kind) => kind.verbs.has('list'))
  .map((kind) => [`${kind.apiVersion} ${kind.kind}`, kind] as const)

/** Columns for which upstream refers to a field that does not exist. */
const UNDESCRIBED = ['RuntimeClass Handler']

test.each(kinds)('each column of %s has a description', (_, kind) => {
  const { columns } = printerOf(kind)
  for (const column of columns) {
    expect(column).toEqual({
      name: expect.stringMatching(/./),
      type: expect.stringMatching(/^(string|integer|boolean|date)$/),
      format: expect.stringMatching(/^(name)?$/),
      description: UNDESCRIBED.includes(`${kind.kind} ${column.name}`) ? '' : expect.stringMatching(/./),
      priority: expect.toBeOneOf([0, 1]),
    })
  }
})

/** Objects in which every part that a printer may read has a wrong type. */
function hostile(value: JsonObject[string]): JsonObject {
  const parts = ['metadata', 'spec', 'status', 'webhooks', 'subsets', 'ports', 'endpoints', 'template', 'conditions', 'series']
  return Object.fromEntries(parts.map((part) => [part, value]))
}

const deep: JsonObject = {
  metadata: { ownerReferences: [null, 1], labels: { a: 1 }, creationTimestamp: 'soon' },
  spec: {
    selector: { matchLabels: 1, matchExpressions: [null] },
    template: { spec: { containers: [null] } },
    metrics: [{ type: 'Pods' }],
  },
  status: { conditions: [null, {}], hard: { cpu: 'much' }, capacity: [], containerStatuses: [{ state: null }] },
}

test.each(kinds)('%s is printed even if its stored object is malformed', (_, kind) => {
  const printer = printerOf(kind)
  const objects = [{}, hostile(null), hostile(7), hostile('x'), hostile([null]), hostile([{}]), hostile({}), deep]
  for (const object of objects) {
    const extra = kind.kind === 'IPAddress' ? 1 : 0
    expect(printer.row(object, NOW).cells).toHaveLength(printer.columns.length + extra)
  }
})

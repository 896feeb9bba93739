/** How Pods are shown. */

import type { JsonObject } from '../../../go/json-value.ts'
import { humanDuration } from '../../../meta/human-duration.ts'
import { ageOf, CREATED, fieldOf, NAME, nameOf, summaryPrinter } from '../column.ts'
import { textOr } from '../format.ts'
import type { RowCondition } from '../printer.ts'
import { child, children, condition, text } from '../read.ts'
import { type PodState, podStateOf, type Restarts } from './pod-status.ts'

interface PodSummary {
  readonly pod: JsonObject
  readonly state: PodState
}

/** Phases after which nothing changes any more. */
const COMPLETED: ReadonlyMap<string, readonly RowCondition[]> = new Map(
  [['Succeeded', 'The pod has completed successfully.'] as const, ['Failed', 'The pod failed.'] as const].map(
    ([reason, message]) => [reason, [{ type: 'Completed', status: 'True', reason, message }]],
  ),
)

function formatRestarts({ count, last }: Restarts, now: number): string {
  return count === 0 || last === undefined ? String(count) : `${count} (${humanDuration(now - last)} ago)`
}

/** Where both fields are set, the single one holds. */
function podIp(pod: JsonObject): string {
  const status = child(pod, 'status')
  return text(status, 'podIP') || text(children(status, 'podIPs')[0] ?? {}, 'ip') || '<none>'
}

function readinessGates(pod: JsonObject): string {
  const gates = children(child(pod, 'spec'), 'readinessGates')
  if (gates.length === 0) return '<none>'
  const open = gates.filter((gate) => text(condition(pod, text(gate, 'conditionType')) ?? {}, 'status') === 'True')
  return `${open.length}/${gates.length}`
}

export const pods = summaryPrinter<PodSummary>({
  subject: (pod) => ({ pod, state: podStateOf(pod) }),
  conditions: ({ pod }) => COMPLETED.get(text(child(pod, 'status'), 'phase')),
  columns: [
    { name: 'Name', format: 'name', description: NAME, cell: ({ pod }) => nameOf(pod) },
    {
      name: 'Ready',
      description: 'The aggregate readiness state of this pod for accepting traffic.',
      cell: ({ state }) => `${state.ready}/${state.total}`,
    },
    {
      name: 'Status',
      description: 'The aggregate status of the containers in this pod.',
      cell: ({ state }) => state.reason,
    },
    {
      name: 'Restarts',
      description:
        'The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.',
      cell: ({ state }, now) => formatRestarts(state.restarts, now),
    },
    { name: 'Age', description: CREATED, cell: ({ pod }, now) => ageOf(pod, now) },
    { name: 'IP', priority: 1, description: fieldOf('core/v1.PodStatus', 'podIP'), cell: ({ pod }) => podIp(pod) },
    {
      name: 'Node',
      priority: 1,
      description: fieldOf('core/v1.PodSpec', 'nodeName'),
      cell: ({ pod }) => textOr(child(pod, 'spec'), 'nodeName', '<none>'),
    },
    {
      name: 'Nominated Node',
      priority: 1,
      description: fieldOf('core/v1.PodStatus', 'nominatedNodeName'),
      cell: ({ pod }) => textOr(child(pod, 'status'), 'nominatedNodeName', '<none>'),
    },
    {
      name: 'Readiness Gates',
      priority: 1,
      description: fieldOf('core/v1.PodSpec', 'readinessGates'),
      cell: ({ pod }) => readinessGates(pod),
    },
  ],
})

/** Table columns of Pods. */
import type { JsonObject } from '../../../go/json-value.ts'
import { humanDuration } from '../../../meta/human-duration.ts'
import { ageOf, columnsOf, nameOf, summaryPrinter } from '../column.ts'
import { textOr } from '../format.ts'
import type { RowCondition } from '../printer.ts'
import { child, children, condition, text } from '../read.ts'
import { type PodState, podStateOf, type Restarts } from './pod-status.ts'

interface PodSummary {
  readonly pod: JsonObject
  readonly state: PodState
}

/** The row conditions of phases in which a Pod has ended. */
const COMPLETED: ReadonlyMap<string, readonly RowCondition[]> = new Map(
  [['Succeeded', 'The pod has completed successfully.'] as const, ['Failed', 'The pod failed.'] as const].map(
    ([reason, message]) => [reason, [{ type: 'Completed', status: 'True', reason, message }]],
  ),
)

function formatRestarts({ count, last }: Restarts, now: number): string {
  return count === 0 || last === undefined ? String(count) : `${count} (${humanDuration(now - last)} ago)`
}

/** Returns the Pod's IP; if both fields are set, `podIP` takes precedence. */
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
  columns: columnsOf<'pods', PodSummary>('pods', {
    Name: ({ pod }) => nameOf(pod),
    Age: ({ pod }, now) => ageOf(pod, now),
    Ready: ({ state }) => `${state.ready}/${state.total}`,
    Status: ({ state }) => state.reason,
    Restarts: ({ state }, now) => formatRestarts(state.restarts, now),
    IP: ({ pod }) => podIp(pod),
    Node: ({ pod }) => textOr(child(pod, 'spec'), 'nodeName', '<none>'),
    'Nominated Node': ({ pod }) => textOr(child(pod, 'status'), 'nominatedNodeName', '<none>'),
    'Readiness Gates': ({ pod }) => readinessGates(pod),
  }),
})

/** Table columns of flowcontrol.apiserver.k8s.io. */
import type { JsonObject } from '../../go/json-value.ts'
import { compareText } from '../../go/text.ts'
import { columnsOf, nameOf, printersOf, summaryPrinter } from './column.ts'
import type { Printers } from './printer.ts'
import { child, condition, has, number, text } from './read.ts'

const precedence = (flowSchema: JsonObject): number => number(child(flowSchema, 'spec'), 'matchingPrecedence')

const flowSchemas = summaryPrinter({
  columns: columnsOf('flowschemas.flowcontrol.apiserver.k8s.io', {
    PriorityLevel: (object) => text(child(object, 'spec', 'priorityLevelConfiguration'), 'name'),
    MatchingPrecedence: precedence,
    DistinguisherMethod: (object) => {
      const spec = child(object, 'spec')
      return has(spec, 'distinguisherMethod') ? text(child(spec, 'distinguisherMethod'), 'type') : '<none>'
    },
    MissingPL: (object) => {
      const dangling = condition(object, 'Dangling')
      return dangling === undefined ? '?' : text(dangling, 'status')
    },
  }),
  subject: (object) => object,
  // In the order in which FlowSchemas are matched.
  compare: (a, b) => precedence(a) - precedence(b) || compareText(nameOf(a), nameOf(b)),
})

/** Returns a cell with a number of a part of the specification; `<none>` if the part is absent. */
const limit = (field: string, path: readonly string[]) => (object: JsonObject) => {
  let part = child(object, 'spec')
  for (const step of path) {
    if (!has(part, step)) return '<none>'
    part = child(part, step)
  }
  return number(part, field)
}

const QUEUING = ['limited', 'limitResponse', 'queuing'] as const

export const flowcontrolPrinters: Printers = {
  ...printersOf({
    'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': {
      Type: (object) => text(child(object, 'spec'), 'type'),
      NominalConcurrencyShares: limit('nominalConcurrencyShares', ['limited']),
      Queues: limit('queues', QUEUING),
      HandSize: limit('handSize', QUEUING),
      QueueLengthLimit: limit('queueLengthLimit', QUEUING),
    },
  }),
  'flowschemas.flowcontrol.apiserver.k8s.io': flowSchemas,
}

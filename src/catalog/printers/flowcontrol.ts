/** How the kinds of flowcontrol.apiserver.k8s.io are shown. */

import type { JsonObject } from '../../go/json-value.ts'
import { compareText } from '../../go/text.ts'
import { ageColumn, type ColumnOf, fieldOf, name, nameOf, printer, summaryPrinter } from './column.ts'
import type { Printers } from './printer.ts'
import { child, condition, has, number, text } from './read.ts'

const precedence = (flowSchema: JsonObject): number => number(child(flowSchema, 'spec'), 'matchingPrecedence')

const flowSchemas = summaryPrinter<JsonObject>({
  columns: [
    name,
    {
      name: 'PriorityLevel',
      description: fieldOf('flowcontrol/v1.PriorityLevelConfigurationReference', 'name'),
      cell: (object) => text(child(object, 'spec', 'priorityLevelConfiguration'), 'name'),
    },
    {
      name: 'MatchingPrecedence',
      description: fieldOf('flowcontrol/v1.FlowSchemaSpec', 'matchingPrecedence'),
      cell: precedence,
    },
    {
      name: 'DistinguisherMethod',
      description: fieldOf('flowcontrol/v1.FlowSchemaSpec', 'distinguisherMethod'),
      cell: (object) => {
        const spec = child(object, 'spec')
        return has(spec, 'distinguisherMethod') ? text(child(spec, 'distinguisherMethod'), 'type') : '<none>'
      },
    },
    ageColumn,
    {
      name: 'MissingPL',
      description: 'references a broken or non-existent PriorityLevelConfiguration',
      cell: (object) => {
        const dangling = condition(object, 'Dangling')
        return dangling === undefined ? '?' : text(dangling, 'status')
      },
    },
  ],
  subject: (object) => object,
  // In the order in which they are matched.
  compare: (a, b) => precedence(a) - precedence(b) || compareText(nameOf(a), nameOf(b)),
})

/** A number in a part of the specification; `<none>` where the part is missing. */
function limit(name: string, type: string, field: string, path: readonly string[]): ColumnOf<JsonObject> {
  return {
    name,
    description: fieldOf(`flowcontrol/v1.${type}`, field),
    cell: (object) => {
      let part = child(object, 'spec')
      for (const step of path) {
        if (!has(part, step)) return '<none>'
        part = child(part, step)
      }
      return number(part, field)
    },
  }
}

const QUEUING = ['limited', 'limitResponse', 'queuing'] as const

const priorityLevelConfigurations = printer([
  name,
  {
    name: 'Type',
    description: fieldOf('flowcontrol/v1.PriorityLevelConfigurationSpec', 'type'),
    cell: (object) => text(child(object, 'spec'), 'type'),
  },
  limit('NominalConcurrencyShares', 'LimitedPriorityLevelConfiguration', 'nominalConcurrencyShares', ['limited']),
  limit('Queues', 'QueuingConfiguration', 'queues', QUEUING),
  limit('HandSize', 'QueuingConfiguration', 'handSize', QUEUING),
  limit('QueueLengthLimit', 'QueuingConfiguration', 'queueLengthLimit', QUEUING),
  ageColumn,
])

export const flowcontrolPrinters: Printers = {
  'flowschemas.flowcontrol.apiserver.k8s.io': flowSchemas,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': priorityLevelConfigurations,
}

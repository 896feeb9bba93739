/** How kinds are shown whose groups hold little else: policy, scheduling, coordination, node and API services. */
import type { JsonObject } from '../../go/json-value.ts'
import { ageColumn, fieldOf, name, printer } from './column.ts'
import { intOrString } from './format.ts'
import type { Printers } from './printer.ts'
import { child, condition, flag, has, number, text } from './read.ts'

const podDisruptionBudgets = printer([
  name,
  {
    name: 'Min Available',
    description: 'The minimum number of pods that must be available.',
    cell: (object) => intOrString(child(object, 'spec'), 'minAvailable', 'N/A'),
  },
  {
    name: 'Max Unavailable',
    description: 'The maximum number of pods that may be unavailable.',
    cell: (object) => intOrString(child(object, 'spec'), 'maxUnavailable', 'N/A'),
  },
  {
    name: 'Allowed Disruptions',
    type: 'integer',
    description: 'Calculated number of pods that may be disrupted at this time.',
    cell: (object) => number(child(object, 'status'), 'disruptionsAllowed'),
  },
  ageColumn,
])

const priorityClasses = printer([
  name,
  {
    name: 'Value',
    type: 'integer',
    description: fieldOf('scheduling/v1.PriorityClass', 'value'),
    cell: (object) => number(object, 'value'),
  },
  {
    name: 'Global-Default',
    type: 'boolean',
    description: fieldOf('scheduling/v1.PriorityClass', 'globalDefault'),
    cell: (object) => flag(object, 'globalDefault'),
  },
  ageColumn,
  {
    name: 'PreemptionPolicy',
    description: fieldOf('scheduling/v1.PriorityClass', 'preemptionPolicy'),
    cell: (object) => text(object, 'preemptionPolicy'),
  },
])

const leases = printer([
  name,
  {
    name: 'Holder',
    description: fieldOf('coordination/v1.LeaseSpec', 'holderIdentity'),
    cell: (object) => text(child(object, 'spec'), 'holderIdentity'),
  },
  ageColumn,
])

const runtimeClasses = printer([name, { name: 'Handler', description: '', cell: (object) => text(object, 'handler') }, ageColumn])

function service(apiService: JsonObject): string {
  const spec = child(apiService, 'spec')
  if (!has(spec, 'service')) return 'Local'
  return `${text(child(spec, 'service'), 'namespace')}/${text(child(spec, 'service'), 'name')}`
}

function availability(apiService: JsonObject): string {
  const available = condition(apiService, 'Available')
  if (available === undefined) return 'Unknown'
  const [status, reason] = [text(available, 'status'), text(available, 'reason')]
  return status === 'True' || reason === '' ? status : `${status} (${reason})`
}

const apiServices = printer([
  name,
  {
    name: 'Service',
    description: 'The reference to the service that hosts this API endpoint.',
    cell: service,
  },
  { name: 'Available', description: 'Whether this service is available.', cell: availability },
  ageColumn,
])

export const clusterPrinters: Printers = {
  'apiservices.apiregistration.k8s.io': apiServices,
  'leases.coordination.k8s.io': leases,
  'poddisruptionbudgets.policy': podDisruptionBudgets,
  'priorityclasses.scheduling.k8s.io': priorityClasses,
  'runtimeclasses.node.k8s.io': runtimeClasses,
}

/** Table columns of groups with few kinds: policy, scheduling, coordination, node and API services. */
import type { JsonObject } from '../../go/json-value.ts'
import { ageColumn, name, printer, printersOf } from './column.ts'
import { intOrString } from './format.ts'
import type { Printers } from './printer.ts'
import { child, condition, flag, has, number, text } from './read.ts'

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

/** The printer of APIServices. Its columns are not generated, because kube-aggregator defines them. */
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
  ...printersOf({
    'leases.coordination.k8s.io': {
      Holder: (object) => text(child(object, 'spec'), 'holderIdentity'),
    },
    'poddisruptionbudgets.policy': {
      'Min Available': (object) => intOrString(child(object, 'spec'), 'minAvailable', 'N/A'),
      'Max Unavailable': (object) => intOrString(child(object, 'spec'), 'maxUnavailable', 'N/A'),
      'Allowed Disruptions': (object) => number(child(object, 'status'), 'disruptionsAllowed'),
    },
    'priorityclasses.scheduling.k8s.io': {
      Value: (object) => number(object, 'value'),
      'Global-Default': (object) => flag(object, 'globalDefault'),
      PreemptionPolicy: (object) => text(object, 'preemptionPolicy'),
    },
    'runtimeclasses.node.k8s.io': {
      Handler: (object) => text(object, 'handler'),
    },
  }),
}

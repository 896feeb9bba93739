/** How the kinds of the core group are shown. */

import type { JsonObject } from '../../../go/json-value.ts'
import { compareText } from '../../../go/text.ts'
import { ageColumn, fieldOf, name, printer } from '../column.ts'
import { containerImages, containerNames, formatLabels, quantity } from '../format.ts'
import type { Printers } from '../printer.ts'
import { child, children, number, text } from '../read.ts'
import { containerColumns } from '../workload-columns.ts'
import { events } from './event.ts'
import { nodes } from './node.ts'
import { pods } from './pod.ts'
import { endpoints, services } from './service.ts'
import { persistentVolumeClaims, persistentVolumes } from './volume.ts'

const namespaces = printer([
  name,
  {
    name: 'Status',
    description: 'The status of the namespace',
    cell: (object) => text(child(object, 'status'), 'phase'),
  },
  ageColumn,
])

const entries = (object: JsonObject, field: string): number => Object.keys(child(object, field)).length

const configMaps = printer(
  [
    name,
    {
      name: 'Data',
      description: fieldOf('core/v1.ConfigMap', 'data'),
      cell: (object) => entries(object, 'data') + entries(object, 'binaryData'),
    },
    ageColumn,
  ],
  ['data', 'binaryData'],
)

const secrets = printer(
  [
    name,
    { name: 'Type', description: fieldOf('core/v1.Secret', 'type'), cell: (object) => text(object, 'type') },
    { name: 'Data', description: fieldOf('core/v1.Secret', 'data'), cell: (object) => entries(object, 'data') },
    ageColumn,
  ],
  ['data'],
)

const serviceAccounts = printer([name, ageColumn])

/** What is used of each resource, in its column: those that begin with `limits.` or the others. */
const usage = (ofLimits: boolean) => (quota: JsonObject) => {
  const status = child(quota, 'status')
  return Object.keys(child(status, 'hard'))
    .filter((resource) => resource.startsWith('limits.') === ofLimits)
    .sort(compareText)
    .map((resource) => {
      const [used, hard] = [child(status, 'used'), child(status, 'hard')].map((part) => quantity(part, resource, '0'))
      return `${resource}: ${used}/${hard}`
    })
    .join(', ')
}

const resourceQuotas = printer([
  name,
  {
    name: 'Request',
    description: 'Request represents a minimum amount of cpu/memory that a container may consume.',
    cell: usage(false),
  },
  {
    name: 'Limit',
    description:
      'Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node.',
    cell: usage(true),
  },
  ageColumn,
])

const podTemplates = printer([
  name,
  {
    name: 'Containers',
    description: 'Names of each container in the template.',
    cell: (object) => containerNames(child(object, 'template', 'spec')),
  },
  {
    name: 'Images',
    description: 'Images referenced by each container in the template.',
    cell: (object) => containerImages(child(object, 'template', 'spec')),
  },
  {
    name: 'Pod Labels',
    description: 'The labels for the pod template.',
    cell: (object) => formatLabels(child(object, 'template', 'metadata'), 'labels'),
  },
])

const replicationControllers = printer([
  name,
  {
    name: 'Desired',
    type: 'integer',
    description: fieldOf('core/v1.ReplicationControllerSpec', 'replicas'),
    cell: (object) => number(child(object, 'spec'), 'replicas'),
  },
  {
    name: 'Current',
    type: 'integer',
    description: fieldOf('core/v1.ReplicationControllerStatus', 'replicas'),
    cell: (object) => number(child(object, 'status'), 'replicas'),
  },
  {
    name: 'Ready',
    type: 'integer',
    description: fieldOf('core/v1.ReplicationControllerStatus', 'readyReplicas'),
    cell: (object) => number(child(object, 'status'), 'readyReplicas'),
  },
  ageColumn,
  ...containerColumns(),
  {
    name: 'Selector',
    priority: 1,
    description: fieldOf('core/v1.ReplicationControllerSpec', 'selector'),
    cell: (object) => formatLabels(child(object, 'spec'), 'selector'),
  },
])

interface Health {
  readonly status: string
  readonly message: string
  readonly error: string
}

function healthOf(component: JsonObject): Health {
  const healthy = children(component, 'conditions').find((entry) => text(entry, 'type') === 'Healthy')
  if (healthy === undefined) return { status: 'Unknown', message: '', error: '' }
  const status = text(healthy, 'status') === 'True' ? 'Healthy' : 'Unhealthy'
  return { status, message: text(healthy, 'message'), error: text(healthy, 'error') }
}

const componentStatuses = printer([
  name,
  { name: 'Status', description: 'Status of the component conditions', cell: (object) => healthOf(object).status },
  { name: 'Message', description: 'Message of the component conditions', cell: (object) => healthOf(object).message },
  { name: 'Error', description: 'Error of the component conditions', cell: (object) => healthOf(object).error },
])

export const corePrinters: Printers = {
  componentstatuses: componentStatuses,
  configmaps: configMaps,
  endpoints,
  events,
  namespaces,
  nodes,
  persistentvolumeclaims: persistentVolumeClaims,
  persistentvolumes: persistentVolumes,
  pods,
  podtemplates: podTemplates,
  replicationcontrollers: replicationControllers,
  resourcequotas: resourceQuotas,
  secrets,
  serviceaccounts: serviceAccounts,
  services,
}

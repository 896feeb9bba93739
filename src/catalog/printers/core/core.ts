/** Table columns of the core group. */
import type { JsonObject } from '../../../go/json-value.ts'
import { compareText } from '../../../go/text.ts'
import { printersOf } from '../column.ts'
import { formatLabels, quantity } from '../format.ts'
import type { Printers } from '../printer.ts'
import { child, children, number, text } from '../read.ts'
import { containerCells, podSpecOf } from '../workload-columns.ts'
import { events } from './event.ts'
import { nodes } from './node.ts'
import { pods } from './pod.ts'
import { services } from './service.ts'
import { volumes } from './volume.ts'

const entries = (object: JsonObject, field: string): number => Object.keys(child(object, field)).length

/** Returns a cell with the usage of each resource: of those with the prefix `limits.`, or of the others. */
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

export const corePrinters: Printers = {
  ...printersOf(
    {
      componentstatuses: {
        Status: (object) => healthOf(object).status,
        Message: (object) => healthOf(object).message,
        Error: (object) => healthOf(object).error,
      },
      configmaps: {
        Data: (object) => entries(object, 'data') + entries(object, 'binaryData'),
      },
      namespaces: {
        Status: (object) => text(child(object, 'status'), 'phase'),
      },
      podtemplates: {
        ...containerCells((object) => child(object, 'template', 'spec')),
        'Pod Labels': (object) => formatLabels(child(object, 'template', 'metadata'), 'labels'),
      },
      replicationcontrollers: {
        Desired: (object) => number(child(object, 'spec'), 'replicas'),
        Current: (object) => number(child(object, 'status'), 'replicas'),
        Ready: (object) => number(child(object, 'status'), 'readyReplicas'),
        ...containerCells(podSpecOf),
        Selector: (object) => formatLabels(child(object, 'spec'), 'selector'),
      },
      resourcequotas: {
        Request: usage(false),
        Limit: usage(true),
      },
      secrets: {
        Type: (object) => text(object, 'type'),
        Data: (object) => entries(object, 'data'),
      },
      serviceaccounts: {},
    },
    { configmaps: ['data', 'binaryData'], secrets: ['data'] },
  ),
  ...events,
  ...nodes,
  ...volumes,
  pods,
  ...services,
}

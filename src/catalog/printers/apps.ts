/** How the kinds of apps are shown. */

import type { JsonObject } from '../../go/json-value.ts'
import { formatLabelSelector } from '../../meta/label-selector.ts'
import { labelSelectorFrom } from '../../meta/label-selector-object.ts'
import { ageColumn, type ColumnOf, fieldOf, name, printer } from './column.ts'
import { formatLabels, selectorIn } from './format.ts'
import type { Printers } from './printer.ts'
import { child, children, flag, integer, number, text } from './read.ts'
import { containerColumns, podSpecOf, selectorColumn } from './workload-columns.ts'

/** A number in the status. */
function statusNumber(name: string, type: string, field: string): ColumnOf<JsonObject> {
  return {
    name,
    type: 'integer',
    description: fieldOf(`apps/v1.${type}`, field),
    cell: (object) => number(child(object, 'status'), field),
  }
}

const readyOfReplicas: ColumnOf<JsonObject> = {
  name: 'Ready',
  description: 'Number of the pod with ready state',
  cell: (object) => `${number(child(object, 'status'), 'readyReplicas')}/${number(child(object, 'spec'), 'replicas')}`,
}

/** As selectors are written elsewhere, but '' for an empty one. */
function deploymentSelector(object: JsonObject): string {
  try {
    return formatLabelSelector(labelSelectorFrom(selectorIn(child(object, 'spec'), 'selector')))
  } catch {
    return '<invalid>'
  }
}

/** A Deployment's numbers are integers in columns of text, as upstream has them. */
const deployments = printer([
  name,
  readyOfReplicas,
  { ...statusNumber('Up-to-date', 'DeploymentStatus', 'updatedReplicas'), type: 'string' },
  { ...statusNumber('Available', 'DeploymentStatus', 'availableReplicas'), type: 'string' },
  ageColumn,
  ...containerColumns(),
  {
    name: 'Selector',
    priority: 1,
    description: fieldOf('apps/v1.DeploymentSpec', 'selector'),
    cell: deploymentSelector,
  },
])

const replicaSets = printer([
  name,
  {
    name: 'Desired',
    type: 'integer',
    description: fieldOf('apps/v1.ReplicaSetSpec', 'replicas'),
    cell: (object) => number(child(object, 'spec'), 'replicas'),
  },
  statusNumber('Current', 'ReplicaSetStatus', 'replicas'),
  statusNumber('Ready', 'ReplicaSetStatus', 'readyReplicas'),
  ageColumn,
  ...containerColumns(),
  selectorColumn(fieldOf('apps/v1.ReplicaSetSpec', 'selector')),
])

const daemonSets = printer([
  name,
  statusNumber('Desired', 'DaemonSetStatus', 'desiredNumberScheduled'),
  statusNumber('Current', 'DaemonSetStatus', 'currentNumberScheduled'),
  statusNumber('Ready', 'DaemonSetStatus', 'numberReady'),
  statusNumber('Up-to-date', 'DaemonSetStatus', 'updatedNumberScheduled'),
  statusNumber('Available', 'DaemonSetStatus', 'numberAvailable'),
  {
    name: 'Node Selector',
    description: fieldOf('core/v1.PodSpec', 'nodeSelector'),
    cell: (object) => formatLabels(podSpecOf(object), 'nodeSelector'),
  },
  ageColumn,
  ...containerColumns(),
  selectorColumn(fieldOf('apps/v1.DaemonSetSpec', 'selector')),
])

const statefulSets = printer([name, readyOfReplicas, ageColumn, ...containerColumns()])

/** `<kind>.<group>/<name>` of the owner that is the controller. */
function controllerOf(object: JsonObject): string {
  const owner = children(child(object, 'metadata'), 'ownerReferences').find((reference) => flag(reference, 'controller'))
  if (owner === undefined) return '<none>'
  const [group, version] = text(owner, 'apiVersion').split('/')
  const kind = `${text(owner, 'kind')}${version === undefined ? '' : `.${group}`}`
  return kind === '' ? text(owner, 'name') : `${kind.toLowerCase()}/${text(owner, 'name')}`
}

const controllerRevisions = printer([
  name,
  { name: 'Controller', description: 'Controller of the object', cell: controllerOf },
  {
    name: 'Revision',
    description: fieldOf('apps/v1.ControllerRevision', 'revision'),
    cell: (object) => integer(object, 'revision'),
  },
  ageColumn,
])

export const appsPrinters: Printers = {
  'controllerrevisions.apps': controllerRevisions,
  'daemonsets.apps': daemonSets,
  'deployments.apps': deployments,
  'replicasets.apps': replicaSets,
  'statefulsets.apps': statefulSets,
}

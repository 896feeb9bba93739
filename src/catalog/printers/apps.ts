/** Table columns of apps. */
import type { JsonObject } from '../../go/json-value.ts'
import { formatLabelSelector } from '../../meta/label-selector.ts'
import { labelSelectorFrom } from '../../meta/label-selector-object.ts'
import { printersOf } from './column.ts'
import { formatLabels, selectorIn } from './format.ts'
import type { Printers } from './printer.ts'
import { child, children, flag, integer, number, text } from './read.ts'
import { containerCells, podSpecOf, selectorOf, specOf } from './workload-columns.ts'

/** Returns a cell with a number of the status. */
const statusNumber =
  (field: string) =>
  (object: JsonObject): number =>
    number(child(object, 'status'), field)

const readyOfReplicas = (object: JsonObject): string =>
  `${number(child(object, 'status'), 'readyReplicas')}/${number(specOf(object), 'replicas')}`

/** Formats a selector as in other tables, except '' for an empty one. */
function deploymentSelector(object: JsonObject): string {
  try {
    return formatLabelSelector(labelSelectorFrom(selectorIn(child(object, 'spec'), 'selector')))
  } catch {
    return '<invalid>'
  }
}

/** Returns the controller owner as `<kind>.<group>/<name>`. */
function controllerOf(object: JsonObject): string {
  const owner = children(child(object, 'metadata'), 'ownerReferences').find((reference) => flag(reference, 'controller'))
  if (owner === undefined) return '<none>'
  const [group, version] = text(owner, 'apiVersion').split('/')
  const kind = `${text(owner, 'kind')}${version === undefined ? '' : `.${group}`}`
  return kind === '' ? text(owner, 'name') : `${kind.toLowerCase()}/${text(owner, 'name')}`
}

export const appsPrinters: Printers = printersOf({
  'controllerrevisions.apps': {
    Controller: controllerOf,
    Revision: (object) => integer(object, 'revision'),
  },
  'daemonsets.apps': {
    Desired: statusNumber('desiredNumberScheduled'),
    Current: statusNumber('currentNumberScheduled'),
    Ready: statusNumber('numberReady'),
    'Up-to-date': statusNumber('updatedNumberScheduled'),
    Available: statusNumber('numberAvailable'),
    'Node Selector': (object) => formatLabels(podSpecOf(object), 'nodeSelector'),
    ...containerCells(podSpecOf),
    Selector: selectorOf(specOf),
  },
  'deployments.apps': {
    Ready: readyOfReplicas,
    'Up-to-date': statusNumber('updatedReplicas'),
    Available: statusNumber('availableReplicas'),
    ...containerCells(podSpecOf),
    Selector: deploymentSelector,
  },
  'replicasets.apps': {
    Desired: (object) => number(child(object, 'spec'), 'replicas'),
    Current: statusNumber('replicas'),
    Ready: statusNumber('readyReplicas'),
    ...containerCells(podSpecOf),
    Selector: selectorOf(specOf),
  },
  'statefulsets.apps': {
    Ready: readyOfReplicas,
    ...containerCells(podSpecOf),
  },
})

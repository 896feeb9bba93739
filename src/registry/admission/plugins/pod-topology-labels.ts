/** The admission plugin PodTopologyLabels: a Pod on a node gets the node's labels for zone and region. */
import { isObject } from '../../../go/json-object.ts'
import type { JsonValue } from '../../../go/json-value.ts'
import { sortedKeys } from '../../../go/sorted-keys.ts'
import type { LookupResults } from '../../../meta/lookups.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { node } from '../../facts/node.ts'
import type { AdmissionHandler, AdmissionPlugin } from '../plugin.ts'

const topologyLabels: ReadonlySet<string> = new Set(['topology.kubernetes.io/region', 'topology.kubernetes.io/zone'])

/** Copies the labels of the node, if it exists. */
function copyLabels({ metadata }: KubernetesObject, nodeName: string, lookups: LookupResults): void {
  if (nodeName === '') return
  const labels = Object.entries(lookups.get(node.lookup({ name: nodeName }))?.labels ?? {}).filter(([name]) =>
    topologyLabels.has(name),
  )
  if (labels.length > 0) metadata.labels = sortedKeys({ ...metadata.labels, ...Object.fromEntries(labels) })
}

/** Returns a text in a field of an object, which may be any JSON; '' if it is not a text. */
function textIn(object: JsonValue | undefined, field: string): string {
  const text = isObject(object) ? object[field] : undefined
  return typeof text === 'string' ? text : ''
}

/** Returns the name of the node to which a Pod is assigned. */
const nodeOfPod = (pod: JsonValue): string => textIn(isObject(pod) ? pod.spec : undefined, 'nodeName')

/** Returns the name of the node that is the target of a Binding. */
function nodeOfBinding(binding: JsonValue): string {
  const target = isObject(binding) ? binding.target : undefined
  return textIn(target, 'kind') === 'Node' ? textIn(target, 'name') : ''
}

const handler = (resource: string, nodeOf: (object: JsonValue) => string): AdmissionHandler => ({
  operations: ['CREATE'],
  resources: [resource],
  lookups: (_attributes, object) => (nodeOf(object) === '' ? [] : [node.lookup({ name: nodeOf(object) })]),
  admit: (_attributes, object, _old, { lookups }) => copyLabels(object, nodeOf(object as unknown as JsonValue), lookups),
})

/** Copies the labels on a CREATE of a Pod with a node, and on a Binding. Follows the plugin of k8s.io/kubernetes. */
export const podTopologyLabels: AdmissionPlugin = {
  name: 'PodTopologyLabels',
  handlers: [handler('pods', nodeOfPod), handler('pods/binding', nodeOfBinding)],
}

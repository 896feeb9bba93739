/**
 * What field selectors may ask of each kind, by `<resource>[.<group>]`, and where the value stands in the object.
 * Facts of kube-apiserver's conversion functions and of the strategies' ToSelectableFields.
 */
import type { FieldLabelSupport, SelectableFields } from '../meta/field-selector.ts'
import { METADATA_FIELD_LABELS, UNSUPPORTED_FIELD_LABEL } from '../meta/field-selector.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { Kind } from './kind.ts'

/** Selectable fields besides metadata.name and metadata.namespace; the value is '' where the object has none. */
interface Selectable {
  readonly fields: readonly string[]
  /** Labels whose value does not stand at the path of the same name, or has another zero value. */
  readonly special?: Readonly<Record<string, (object: KubernetesObject) => string>>
  readonly renamed?: Readonly<Record<string, string>>
}

function textAt(object: KubernetesObject, path: string): string {
  let at: unknown = object
  for (const field of path.split('.'))
    at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[field] : undefined
  return at === undefined || at === null ? '' : String(at)
}

const otherwise = (path: string, zero: string) => (object: KubernetesObject) => textAt(object, path) || zero
const replicas: Selectable = { fields: [], special: { 'status.replicas': otherwise('status.replicas', '0') } }

const eventFields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']
const event = (involved: string): Selectable => ({
  fields: ['reason', 'type'],
  special: Object.fromEntries([
    ...eventFields.map((f) => [`${involved}.${f}`, (o: KubernetesObject) => textAt(o, `involvedObject.${f}`)] as const),
    ['source', (o) => textAt(o, 'source.component') || textAt(o, 'reportingComponent')],
    ['reportingComponent', (o) => textAt(o, 'reportingComponent') || textAt(o, 'source.component')],
  ]),
})

const selectable: Readonly<Record<string, Selectable>> = {
  events: event('involvedObject'),
  'events.events.k8s.io': event('regarding'),
  namespaces: { fields: ['status.phase'] },
  nodes: { fields: [], special: { 'spec.unschedulable': otherwise('spec.unschedulable', 'false') } },
  pods: {
    fields: [
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'status.phase',
      'status.podIP',
    ],
    special: {
      'spec.hostNetwork': otherwise('spec.hostNetwork', 'false'),
      'status.podIPs': (object) => textAt(object, 'status.podIP'),
      'status.nominatedNodeName': (object) => textAt(object, 'status.nominatedNodeName'),
    },
    renamed: { 'spec.host': 'spec.nodeName' },
  },
  replicationcontrollers: replicas,
  secrets: { fields: ['type'] },
  services: { fields: ['spec.clusterIP', 'spec.type'] },
  'certificatesigningrequests.certificates.k8s.io': { fields: ['spec.signerName'] },
  'jobs.batch': { fields: [], special: { 'status.successful': otherwise('status.succeeded', '0') } },
  'replicasets.apps': replicas,
  'resourceslices.resource.k8s.io': { fields: ['spec.nodeName', 'spec.driver'] },
}

function entryOf(kind: Kind): Selectable | undefined {
  return selectable[kind.group === '' ? kind.resource : `${kind.resource}.${kind.group}`]
}

/** Which fields a selector of this kind may name. */
export function fieldLabelsOf(kind: Kind): FieldLabelSupport {
  const entry = entryOf(kind)
  if (entry === undefined) return METADATA_FIELD_LABELS
  return {
    supported: ['metadata.name', 'metadata.namespace', ...entry.fields, ...Object.keys(entry.special ?? {})],
    ...(entry.renamed !== undefined && { renamed: entry.renamed }),
    refusal: UNSUPPORTED_FIELD_LABEL,
  }
}

/** The values of the given labels in an object of the storage version. */
export function selectableFieldsOf(kind: Kind, object: KubernetesObject, labels: readonly string[]): SelectableFields {
  const special = entryOf(kind)?.special
  return Object.fromEntries(labels.map((label) => [label, special?.[label]?.(object) ?? textAt(object, label)]))
}

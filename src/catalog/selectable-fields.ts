/**
 * The fields of each kind that field selectors support, by `<resource>[.<group>]`, with their paths. Follows kube-apiserver's
 * field label conversion functions and the strategies' ToSelectableFields.
 */
import type { FieldLabelSupport, SelectableFields } from '../meta/field-selector.ts'
import { METADATA_FIELD_LABELS, UNSUPPORTED_FIELD_LABEL } from '../meta/field-selector.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { KindFacts } from './kind.ts'

type FieldValue = (object: KubernetesObject) => string

/**
 * The selectable fields besides metadata.name and, for namespaced kinds, metadata.namespace. An absent field has the value ''.
 */
interface Selectable {
  readonly fields: readonly string[]
  /** Fields whose value is not at the path of the same name, or whose absent value is not ''. */
  readonly special?: Readonly<Record<string, FieldValue>>
  /** The error text for other fields, if it differs from that of most kinds, with VERSION for the version. */
  readonly refusal?: string
}

function textAt(object: KubernetesObject, path: string): string {
  let at: unknown = object
  for (const field of path.split('.'))
    at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[field] : undefined
  return at === undefined || at === null ? '' : String(at)
}

const otherwise = (path: string, zero: string) => (object: KubernetesObject) => textAt(object, path) || zero
const at = (path: string) => (object: KubernetesObject) => textAt(object, path)

const involvedFields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']
const involved = (label: string): Record<string, FieldValue> =>
  Object.fromEntries(involvedFields.map((field) => [`${label}.${field}`, at(`involvedObject.${field}`)]))

interface WithPodAddresses {
  readonly status?: { readonly podIP?: string; readonly podIPs?: readonly { readonly ip?: string }[] }
}

function podAddress(object: KubernetesObject): string {
  const { status } = object as WithPodAddresses
  return status?.podIPs?.[0]?.ip ?? status?.podIP ?? ''
}

const selectable: Readonly<Record<string, Selectable>> = {
  events: {
    fields: ['reason', 'reportingComponent', 'type'],
    special: {
      ...involved('involvedObject'),
      source: (object) => textAt(object, 'source.component') || textAt(object, 'reportingComponent'),
    },
  },
  'events.events.k8s.io': {
    fields: ['reason', 'type'],
    special: { ...involved('regarding'), reportingController: at('reportingComponent') },
  },
  namespaces: { fields: ['status.phase'] },
  nodes: { fields: [], special: { 'spec.unschedulable': otherwise('spec.unschedulable', 'false') } },
  pods: {
    fields: [
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'status.phase',
      'status.nominatedNodeName',
    ],
    special: {
      'spec.host': at('spec.nodeName'),
      'spec.hostNetwork': otherwise('spec.hostNetwork', 'false'),
      'status.podIP': podAddress,
      // The label is supported but its value is always empty.
      'status.podIPs': () => '',
    },
  },
  replicationcontrollers: { fields: [], special: { 'status.replicas': otherwise('status.replicas', '0') } },
  secrets: { fields: ['type'] },
  services: { fields: ['spec.clusterIP', 'spec.type'] },
  'certificatesigningrequests.certificates.k8s.io': { fields: ['spec.signerName'] },
  'clustertrustbundles.certificates.k8s.io': { fields: ['spec.signerName'] },
  'podcertificaterequests.certificates.k8s.io': { fields: ['spec.signerName', 'spec.podName', 'spec.nodeName'] },
  'jobs.batch': {
    fields: [],
    special: { 'status.successful': otherwise('status.succeeded', '0') },
    refusal: 'field label %q not supported for Job',
  },
  'resourceslices.resource.k8s.io': {
    fields: ['spec.nodeName', 'spec.driver'],
    refusal: 'field label not supported for resource.k8s.io/VERSION, Kind=ResourceSlice: %s',
  },
}

function entryOf(kind: KindFacts): Selectable | undefined {
  return selectable[kind.group === '' ? kind.resource : `${kind.resource}.${kind.group}`]
}

/** Returns the fields that a field selector of this kind may use. */
export function fieldLabelsOf(kind: KindFacts): FieldLabelSupport {
  const entry = entryOf(kind)
  if (entry === undefined) return METADATA_FIELD_LABELS
  const metadata = kind.namespaced ? ['metadata.name', 'metadata.namespace'] : ['metadata.name']
  return {
    supported: [...metadata, ...entry.fields, ...Object.keys(entry.special ?? {})],
    refusal: entry.refusal?.replace('VERSION', kind.version) ?? UNSUPPORTED_FIELD_LABEL,
  }
}

/** Returns the values of these fields in an object of the storage version. */
export function selectableFieldsOf(kind: KindFacts, object: KubernetesObject, labels: readonly string[]): SelectableFields {
  const special = entryOf(kind)?.special
  return Object.fromEntries(labels.map((label) => [label, special?.[label]?.(object) ?? textAt(object, label)]))
}

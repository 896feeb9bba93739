/** The resources of generated sequences: their served versions, with valid objects. */
import type { RequestStep, Step } from '../../../conformance/scenario.ts'
import type { Kind } from '../../../src/catalog/kind.ts'
import { allKinds } from '../../../src/catalog/scheme.ts'
import type { JsonObject } from '../../../src/go/json-value.ts'
import { type Edit, editsOf } from '../../generated/cases.ts'
import { servedAs } from '../../generated/comparison.ts'
import { fullest } from '../../generated/fullest.ts'
import { names, smallest } from '../../generated/samples.ts'

/** One version of a resource, with objects to write in it. */
export interface Served {
  readonly apiVersion: string
  readonly namespaced: boolean
  readonly subresources: ReadonlySet<string>
  readonly collection: string
  readonly bases: readonly JsonObject[]
  /** Changes of one field, most of which break it. */
  readonly edits: readonly Edit[]
}

/** An object of a resource that is served in one or several versions. */
export interface Subject {
  readonly resource: string
  readonly name: string
  readonly versions: readonly Served[]
  /** Requests before those about the object. */
  readonly before?: readonly Step[]
  /** Requests that change how the resource is served, each as alternatives. */
  readonly changes?: readonly (readonly Step[])[]
  /** Requests that remove what those before it made. */
  readonly after?: readonly RequestStep[]
}

/**
 * Resources that are left out: controllers write to their objects at any time, their objects change other requests, or they only
 * respond.
 */
const leftOut: ReadonlySet<string> = new Set([
  ...['namespaces', 'resourcequotas', 'servicecidrs.networking.k8s.io', 'apiservices.apiregistration.k8s.io'],
  ...['flowschemas.flowcontrol.apiserver.k8s.io', 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io'],
  ...['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'].map((each) => `${each}.admissionregistration.k8s.io`),
  ...['validatingadmissionpolicies', 'validatingadmissionpolicybindings'].map((each) => `${each}.admissionregistration.k8s.io`),
  ...['mutatingadmissionpolicies', 'mutatingadmissionpolicybindings'].map((each) => `${each}.admissionregistration.k8s.io`),
  'customresourcedefinitions.apiextensions.k8s.io',
  'limitranges',
  'ipaddresses.networking.k8s.io',
  'clusterroles.rbac.authorization.k8s.io',
])

/** Fields whose changes make another object or another request of it. */
const isIdentity = ({ path }: Edit): boolean =>
  path[0] === 'metadata' && !['labels', 'annotations', 'finalizers'].includes(String(path[1]))

function servedOf(kind: Kind, name: string): Served {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
  const collection = kind.namespaced ? `${root}/namespaces/\${NS}/${kind.resource}` : `${root}/${kind.resource}`
  const bases = [smallest[servedAs(kind)], fullest[servedAs(kind)]].filter((base) => base !== undefined)
  const whole = bases.map((base) => {
    const text = JSON.stringify({ apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name }, ...base })
    return JSON.parse(text.replaceAll('$NAMESPACE', `\${NS}`)) as JsonObject
  })
  const { apiVersion, namespaced } = kind
  const edits = editsOf(kind.type).filter((edit) => !isIdentity(edit))
  return { apiVersion, namespaced, subresources: new Set(kind.subresources.keys()), collection, bases: whole, edits }
}

/** Returns the subjects of the resources, or of all resources whose objects can be stored. */
export function subjects(wanted: readonly string[] = []): Subject[] {
  const found = new Map<string, Kind[]>()
  for (const kind of allKinds()) {
    if (!kind.verbs.has('update') || (wanted.length > 0 ? !wanted.includes(servedAs(kind)) : leftOut.has(servedAs(kind))))
      continue
    const prefix = kind.storage.prefix
    found.set(prefix, [...(found.get(prefix) ?? []), kind])
  }
  return [...found].map(([prefix, kinds]) => {
    const [first] = kinds
    const name = names[prefix] ?? (first?.namespaced === true ? 'case' : `\${RAND}-case`)
    return {
      resource: first === undefined ? prefix : servedAs(first),
      name,
      versions: kinds.map((kind) => servedOf(kind, name)).filter(({ bases }) => bases.length > 0),
    }
  })
}

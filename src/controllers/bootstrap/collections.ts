/** Objects that are there from the beginning, made when their collection is first touched. */
import { type FlowControlObject, flowControlObjects } from '../../auth/flow-control/bootstrap.ts'
import { type BootstrapObject, bootstrapObjects } from '../../auth/rbac/bootstrap/objects.ts'
import { kindOf } from '../../catalog/catalogue.ts'
import { systemPriorityClasses } from '../../catalog/shapes/priority-class.ts'
import type { JsonObject } from '../../meta/json-value.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { rfc3339Seconds } from '../../meta/time.ts'
import { applyIn } from '../../registry/apply.ts'
import { createIn } from '../../registry/create.ts'
import { decodeObject } from '../../registry/field-validation.ts'
import type { Registry } from '../../registry/registry.ts'
import { keyOf } from '../../registry/stored-object.ts'
import { localApiServices } from './api-services.ts'

/** An object to be made, and where. */
interface Initial {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly object: JsonObject & { metadata: JsonObject }
  /** The manager under whose name kube-apiserver makes it; `apiserver` where none is named. */
  readonly manager?: string
  /** What its controller says of it at once, by the controller's name. */
  readonly status?: { readonly manager: string; readonly conditions: readonly JsonObject[] }
}

const namespace = (name: string): Initial => ({
  group: '',
  version: 'v1',
  resource: 'namespaces',
  object: { metadata: { name } },
})

/** The manager under whose name kube-apiserver makes most of its own objects. */
const defaultManager = 'apiserver'

const kubernetesService: Initial = {
  group: '',
  version: 'v1',
  resource: 'services',
  object: {
    metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      type: 'ClusterIP',
      ipFamilyPolicy: 'SingleStack',
      sessionAffinity: 'None',
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
    },
  },
}

const rbac = ({ resource, object }: BootstrapObject): Initial => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource,
  object,
})

const flowControl = ({ resource, object }: FlowControlObject): Initial => ({
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  resource,
  object,
  manager: 'api-priority-and-fairness-config-producer-v1',
})

const priorityClass = ([name, said]: [string, { value: number; description: string }]): Initial => ({
  group: 'scheduling.k8s.io',
  version: 'v1',
  resource: 'priorityclasses',
  object: { metadata: { name }, ...said, preemptionPolicy: 'PreemptLowerPriority' },
})

const apiService = (object: Initial['object']): Initial => ({
  group: 'apiregistration.k8s.io',
  version: 'v1',
  resource: 'apiservices',
  object,
})

const serviceCidr = (cidr: string, now: number): Initial => ({
  group: 'networking.k8s.io',
  version: 'v1',
  resource: 'servicecidrs',
  object: { metadata: { name: 'kubernetes' }, spec: { cidrs: [cidr] } },
  status: {
    manager: 'kubernetes-service-cidr-controller',
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        lastTransitionTime: rfc3339Seconds(now),
        message: 'Kubernetes default Service CIDR is ready',
      },
    ],
  },
})

/** What each Durable Object makes, by its name without the cluster's. */
const initial: Readonly<Record<string, (registry: Registry) => readonly Initial[]>> = {
  control: () => [
    ...Object.entries(systemPriorityClasses).map(priorityClass),
    ...['default', 'kube-system', 'kube-public', 'kube-node-lease'].map(namespace),
    ...[...bootstrapObjects()].map(rbac),
    ...[...flowControlObjects()].map(flowControl),
    ...localApiServices().map(apiService),
  ],
  '/services': () => [kubernetesService],
  'networking.k8s.io/servicecidrs': (registry) => [serviceCidr(registry.serviceCidr, registry.now())],
}

/** Makes what is missing, in one commit that comes before every other write of the object. */
export async function bootstrapCollection(objectName: string, registry: Registry): Promise<void> {
  const due = initial[objectName.slice(objectName.indexOf('/') + 1)]
  if (due === undefined) return
  const missing = due(registry).filter((entry) => registry.store.get(initialKey(entry)) === undefined)
  if (missing.length === 0) return
  await registry.store.write((transaction) => {
    for (const entry of missing) makeIn(registry, transaction, entry)
  })
}

function kindOfInitial({ group, version, resource }: Initial): NonNullable<ReturnType<typeof kindOf>> {
  const kind = kindOf(group, version, resource)
  if (kind === undefined) throw new Error(`no kind for ${resource}`)
  return kind
}

const placeOf = (entry: Initial) => ({
  namespace: String(entry.object.metadata.namespace ?? ''),
  name: String(entry.object.metadata.name),
})

function initialKey(entry: Initial): string {
  const { namespace: inNamespace, name } = placeOf(entry)
  return keyOf(kindOfInitial(entry), inNamespace, name)
}

function makeIn(registry: Registry, transaction: Parameters<Parameters<Registry['store']['write']>[0]>[0], entry: Initial): void {
  const kind = kindOfInitial(entry)
  const { object } = decodeObject(kind, structuredClone(entry.object), undefined, 'Ignore')
  const { group, version, resource, manager = defaultManager } = entry
  const target = { group, version, resource, subresource: '', ...placeOf(entry) }
  createIn(registry, transaction, kind, target, { manager, dryRun: false }, object satisfies KubernetesObject)
  if (entry.status === undefined) return
  const { manager: controller, conditions } = entry.status
  const metadata = { name: target.name, ...(target.namespace !== '' && { namespace: target.namespace }) }
  const said = { apiVersion: kind.apiVersion, kind: kind.kind, metadata, status: { conditions: [...conditions] } }
  const of = { ...target, subresource: 'status' }
  applyIn(registry, transaction, kind, of, { manager: controller, dryRun: false }, { force: true }, said)
}

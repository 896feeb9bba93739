/** The bootstrap objects of collections, created when the collection is first used. */

import clusterDefinition from '../../../manifests/clusters.json' with { type: 'json' }
import { type FlowControlObject, flowControlObjects } from '../../auth/flow-control/bootstrap.ts'
import { type BootstrapObject, bootstrapObjects } from '../../auth/rbac/bootstrap/objects.ts'
import type { ResourceConfig } from '../../catalog/resource-config.ts'
import { kindOf } from '../../catalog/scheme.ts'
import { systemPriorityClasses } from '../../catalog/system-priority-classes.ts'
import { mandatoryFlowSchemas, mandatoryPriorityLevels } from '../../catalog/validation/flowcontrol/mandatory.ts'
import { resourceConfigOf } from '../../config/emulation.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { rfc3339Seconds } from '../../go/time.ts'
import { serverManager } from '../../meta/managers.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { applyIn } from '../../registry/apply.ts'
import { createIn } from '../../registry/create.ts'
import { listUnder } from '../../registry/list/all.ts'
import { apiServicePrefix } from '../../registry/policy/api-services.ts'
import { flowSchemaPrefix, priorityLevelPrefix } from '../../registry/policy/flow-control.ts'
import type { Registry } from '../../registry/registry.ts'
import { keyOf, objectOf } from '../../registry/stored-object.ts'
import { updateIn } from '../../registry/update.ts'
import type { WriteScope } from '../../registry/write-scope.ts'
import type { Stored, Transaction } from '../../storage/store.ts'
import { withResourceVersion } from '../../storage/value-version.ts'
import { localApiServices } from './api-services.ts'
import {
  isAsMade,
  isLeftBehind,
  type Reconcile,
  reconcileApiService,
  reconcileBinding,
  reconcileDefinition,
  reconcileMandatory,
  reconcileRole,
  reconcileSuggested,
} from './reconcile.ts'

/** An object to create, with its resource. */
interface Initial {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly object: JsonObject & { metadata: JsonObject }
  /** Set for an object that an administrator creates, and that follows the release then. */
  readonly isOptional?: true
  /** The field manager under which kube-apiserver creates it; the server's own if absent. */
  readonly manager?: string
  /** Reconciles an existing object at the start. If absent, an existing object is left alone. */
  readonly reconcile?: Reconcile
  /** The status conditions that a controller applies at once, with the controller's name. */
  readonly status?: { readonly manager: string; readonly conditions: readonly JsonObject[] }
}

const namespace = (name: string): Initial => ({
  group: '',
  version: 'v1',
  resource: 'namespaces',
  object: { metadata: { name } },
})

/**
 * Returns the ConfigMap that records since when the use of legacy tokens is tracked: the day on which the cluster was created.
 */
const tokenTracking = (now: number): Initial => ({
  group: '',
  version: 'v1',
  resource: 'configmaps',
  object: {
    metadata: { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: 'kube-system' },
    data: { since: rfc3339Seconds(now).slice(0, 'YYYY-MM-DD'.length) },
  },
})

const rbac = ({ resource, object }: BootstrapObject): Initial => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource,
  object,
  reconcile: resource === 'clusterroles' || resource === 'roles' ? reconcileRole : reconcileBinding,
})

const mandatory = { flowschemas: mandatoryFlowSchemas, prioritylevelconfigurations: mandatoryPriorityLevels }

const flowControl = ({ resource, object }: FlowControlObject): Initial => ({
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  resource,
  object,
  reconcile: Object.hasOwn(mandatory[resource], String(object.metadata.name)) ? reconcileMandatory : reconcileSuggested,
  manager: 'api-priority-and-fairness-config-producer-v1',
})

const priorityClass = ([name, priority]: [string, { value: number; description: string }]): Initial => ({
  group: 'scheduling.k8s.io',
  version: 'v1',
  resource: 'priorityclasses',
  object: { metadata: { name }, ...priority, preemptionPolicy: 'PreemptLowerPriority' },
})

/** Returns the config of the cluster's resources. */
const configOf = (registry: Registry): ResourceConfig => registry.resourceConfig?.() ?? resourceConfigOf('')

const apiService = (object: Initial['object']): Initial => ({
  group: 'apiregistration.k8s.io',
  version: 'v1',
  resource: 'apiservices',
  object,
  reconcile: reconcileApiService,
})

/** The definition of named clusters, which has the fields of the release. */
const definitionOfClusters: Initial = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  object: clusterDefinition,
  isOptional: true,
  reconcile: reconcileDefinition,
}

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

/** The control object (`control`) or a collection (`<group>/<resource>`) with bootstrap objects. */
export type BootstrapPlace = 'control' | '/configmaps' | 'networking.k8s.io/servicecidrs'

/** The bootstrap objects of the control object and of collections. */
const initial: Readonly<Record<BootstrapPlace, (registry: Registry) => readonly Initial[]>> = {
  control: (registry) => [
    ...Object.entries(systemPriorityClasses).map(priorityClass),
    ...['default', 'kube-system', 'kube-public', 'kube-node-lease'].map(namespace),
    ...[...bootstrapObjects()].map(rbac),
    ...[...flowControlObjects()].map(flowControl),
    ...localApiServices(configOf(registry)).map(apiService),
    definitionOfClusters,
  ],
  '/configmaps': (registry) => [tokenTracking(registry.now())],
  'networking.k8s.io/servicecidrs': (registry) => [serviceCidr(registry.serviceCidr, registry.now())],
}

/** A pending write for one object: it is created or rewritten. */
interface Due {
  readonly entry: Initial
  readonly existing?: Stored
  /** Absent if the object is created. */
  readonly object?: JsonObject
}

function dueOf(registry: Registry, entry: Initial): Due[] {
  const existing = registry.store.get(initialKey(entry))
  if (existing === undefined) return entry.isOptional === true ? [] : [{ entry }]
  if (entry.reconcile === undefined) return []
  const object = objectOf(existing)
  if (isAsMade(object, entry.object)) return []
  const reconciled = entry.reconcile(object, decodedOf(entry, entry.object) as unknown as JsonObject)
  if (reconciled === undefined) return []
  return [reconciled === 'again' ? { entry, existing } : { entry, existing, object: reconciled }]
}

/** Returns the objects of an earlier release, below these prefixes, that this release no longer has. */
function leftBehind({ store }: Registry, entries: readonly Initial[], prefixes: readonly string[]): Stored[] {
  const names = new Set(entries.map(initialKey))
  const found = prefixes.flatMap((prefix) =>
    [...listUnder(store, prefix)].filter(isLeftBehind).map(({ metadata }) => prefix + (metadata.name ?? '')),
  )
  return found.filter((key) => !names.has(key)).flatMap((key) => store.get(key) ?? [])
}

/** The keys of all bootstrap objects of clusters that serve these resources. */
const bootstrapKeys = new WeakMap<ResourceConfig, ReadonlySet<string>>()

/** Returns whether a key is that of a bootstrap object. */
export function isBootstrapKey(registry: Registry, key: string): boolean {
  const config = configOf(registry)
  let keys = bootstrapKeys.get(config)
  if (keys === undefined) {
    const entries = Object.values(initial).flatMap((entriesOf) => entriesOf(registry))
    keys = new Set(entries.map(initialKey))
    bootstrapKeys.set(config, keys)
  }
  return keys.has(key)
}

/** Writes what is missing or has changed, and deletes what is left behind below the prefixes. */
async function reconcileAll(registry: Registry, entries: readonly Initial[], prefixes: readonly string[]): Promise<void> {
  const due = entries.flatMap((entry) => dueOf(registry, entry))
  const gone = leftBehind(registry, entries, prefixes)
  if (due.length + gone.length === 0) return
  await registry.store.write((transaction) => {
    for (const one of gone) transaction.remove(withResourceVersion(one, transaction.nextResourceVersion()))
    for (const one of due) doIn(registry, transaction, one)
  })
}

/** Makes the APIServices of the built-in groups those of the versions that the cluster serves now. */
export function reconcileApiServices(registry: Registry): Promise<void> {
  return reconcileAll(registry, localApiServices(configOf(registry)).map(apiService), [apiServicePrefix])
}

/** Creates the missing bootstrap objects of these places and reconciles the changed ones, in one commit. */
export async function bootstrapPlaces(places: readonly BootstrapPlace[], registry: Registry): Promise<void> {
  const entries = places.flatMap((place) => initial[place](registry))
  const prefixes = places.includes('control') ? [flowSchemaPrefix, priorityLevelPrefix, apiServicePrefix] : []
  await reconcileAll(registry, entries, prefixes)
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

/** Decodes and defaults an object of the release, or its reconciled form. */
const decodedOf = (entry: Initial, object: JsonObject): KubernetesObject =>
  kindOfInitial(entry).codec.decode(structuredClone(object), undefined, 'Ignore').object

function doIn(registry: Registry, transaction: Transaction, { entry, existing, object }: Due): void {
  const kind = kindOfInitial(entry)
  const { group, version, resource, manager = serverManager } = entry
  const target = { group, version, resource, subresource: '', ...placeOf(entry) }
  const scope: WriteScope = { registry, transaction, kind, target, write: { manager, dryRun: false } }
  if (existing !== undefined && object !== undefined) {
    updateIn(scope, { existing, object: decodedOf(entry, object) })
    return
  }
  if (existing !== undefined) transaction.remove(withResourceVersion(existing, transaction.nextResourceVersion()))
  createIn(scope, { object: decodedOf(entry, entry.object) })
  if (entry.status === undefined) return
  const { manager: controller, conditions } = entry.status
  const metadata = { name: target.name, ...(target.namespace !== '' && { namespace: target.namespace }) }
  const configuration = { apiVersion: kind.apiVersion, kind: kind.kind, metadata, status: { conditions: [...conditions] } }
  const ofStatus = { ...target, subresource: 'status' }
  applyIn({ ...scope, target: ofStatus, write: { manager: controller, dryRun: false } }, { configuration, force: true })
}

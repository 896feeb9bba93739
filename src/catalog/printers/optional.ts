/** Table columns of resources that kube-apiserver 1.36 does not serve by default. */
import type { JsonObject } from '../../go/json-value.ts'
import { printersOf } from './column.ts'
import { age, formatLabels, shortened, textOr } from './format.ts'
import type { Printers } from './printer.ts'
import { child, children, condition, has, number, text } from './read.ts'

const spec = (object: JsonObject): JsonObject => child(object, 'spec')
const status = (object: JsonObject): JsonObject => child(object, 'status')
const holds = (object: JsonObject, type: string): boolean => text(condition(object, type) ?? {}, 'status') === 'True'

/** Returns the type of the last condition that is one of these; `otherwise` without one. */
function lastCondition(object: JsonObject, types: readonly string[], otherwise: string): string {
  const found = children(status(object), 'conditions').map((entry) => text(entry, 'type'))
  return found.findLast((type) => types.includes(type)) ?? otherwise
}

function migrationState(object: JsonObject): string {
  const states = ['Running', 'Failed', 'Succeeded']
  const found = children(status(object), 'conditions').filter((entry) => text(entry, 'status') === 'True')
  return found.map((entry) => text(entry, 'type')).findLast((type) => states.includes(type)) ?? 'Unknown'
}

function migratedResource(object: JsonObject): string {
  const migrated = child(spec(object), 'resource')
  const [resource, group] = [text(migrated, 'resource'), text(migrated, 'group')]
  return group === '' ? resource : `${resource}.${group}`
}

function groupState(object: JsonObject): string {
  const disruption = condition(object, 'DisruptionTarget')
  if (disruption !== undefined) return text(disruption, 'reason')
  const scheduled = condition(object, 'PodGroupScheduled')
  if (scheduled === undefined) return 'Pending'
  return text(scheduled, 'status') === 'True' ? 'Scheduled' : 'Unschedulable'
}

/** The first of the conditions Complete and Failed that holds. */
function poolsOutcome(object: JsonObject): JsonObject | undefined {
  return children(status(object), 'conditions').find(
    (entry) => ['Complete', 'Failed'].includes(text(entry, 'type')) && text(entry, 'status') === 'True',
  )
}

/** Returns the sum over all pools as text; `-` before there is a status, or if the request failed. */
function sumOf(object: JsonObject, count: (pool: JsonObject) => number): string {
  if (!has(object, 'status') || text(poolsOutcome(object) ?? {}, 'type') === 'Failed') return '-'
  return String(children(status(object), 'pools').reduce((sum, pool) => sum + count(pool), 0))
}

function poolsState(object: JsonObject): string {
  const type = text(poolsOutcome(object) ?? {}, 'type') || 'Pending'
  const [shown, all] = [children(status(object), 'pools').length, number(status(object), 'poolCount')]
  return type === 'Complete' && all > shown ? `Complete (${shown}/${all} pools)` : type
}

function encodingVersions(object: JsonObject): string {
  const servers = children(status(object), 'storageVersions')
  return shortened(
    servers.map((server) => `${text(server, 'apiServerID')}=${text(server, 'encodingVersion')}`),
    3,
  )
}

export const optionalPrinters: Printers = printersOf({
  'clustertrustbundles.certificates.k8s.io': {
    SignerName: (object) => textOr(spec(object), 'signerName', '<none>'),
  },
  'devicetaintrules.resource.k8s.io': {
    Key: (object) => text(child(spec(object), 'taint'), 'key'),
    Value: (object) => text(child(spec(object), 'taint'), 'value'),
    Effect: (object) => text(child(spec(object), 'taint'), 'effect'),
    TimeAdded: (object, now) =>
      has(child(spec(object), 'taint'), 'timeAdded') ? age(child(spec(object), 'taint'), 'timeAdded', now) : '',
  },
  'leasecandidates.coordination.k8s.io': {
    LeaseName: (object) => text(spec(object), 'leaseName'),
    BinaryVersion: (object) => text(spec(object), 'binaryVersion'),
    EmulationVersion: (object) => text(spec(object), 'emulationVersion'),
  },
  'podcertificaterequests.certificates.k8s.io': {
    PodName: (object) => text(spec(object), 'podName'),
    ServiceAccountName: (object) => text(spec(object), 'serviceAccountName'),
    NodeName: (object) => text(spec(object), 'nodeName'),
    SignerName: (object) => text(spec(object), 'signerName'),
    State: (object) => lastCondition(object, ['Issued', 'Denied', 'Failed'], 'Pending'),
    UnverifiedUserAnnotations: (object) => formatLabels(spec(object), 'unverifiedUserAnnotations'),
  },
  'podgroups.scheduling.k8s.io': {
    Policy: (object) => (has(child(spec(object), 'schedulingPolicy'), 'gang') ? 'Gang' : 'Basic'),
    Workload: (object) =>
      has(spec(object), 'podGroupTemplateRef')
        ? text(child(spec(object), 'podGroupTemplateRef', 'workload'), 'workloadName')
        : '<none>',
    Status: groupState,
  },
  'resourcepoolstatusrequests.resource.k8s.io': {
    Driver: (object) => text(spec(object), 'driver'),
    Total: (object) => sumOf(object, (pool) => number(pool, 'totalDevices')),
    Available: (object) => sumOf(object, (pool) => number(pool, 'availableDevices')),
    Allocated: (object) => sumOf(object, (pool) => number(pool, 'allocatedDevices')),
    Unavailable: (object) => sumOf(object, (pool) => number(pool, 'unavailableDevices')),
    Errors: (object) => sumOf(object, (pool) => (has(pool, 'validationError') ? 1 : 0)),
    Pools: (object) => number(status(object), 'poolCount'),
    Status: poolsState,
    Completed: (object, now) =>
      holds(object, 'Complete') ? age(condition(object, 'Complete') ?? {}, 'lastTransitionTime', now) : '<none>',
  },
  'storageversionmigrations.storagemigration.k8s.io': { Resource: migratedResource, Status: migrationState },
  'storageversions.internal.apiserver.k8s.io': {
    CommonEncodingVersion: (object) => textOr(status(object), 'commonEncodingVersion', '<unset>'),
    StorageVersions: encodingVersions,
  },
  'workloads.scheduling.k8s.io': {},
})

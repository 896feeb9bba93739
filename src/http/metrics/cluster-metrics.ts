/**
 * The metrics of a cluster's Durable Objects, read for each request to /metrics: objects and watches. Every isolate reads the
 * same Durable Objects, so these numbers are not only those of one isolate.
 */
import { allKinds } from '../../catalog/scheme.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { type ControlMetrics, metricsPath, type ObjectMetrics, type WatchMetrics } from '../../clusters/collection-metrics.ts'
import { fetchInner, type InnerStub } from '../../clusters/protocol.ts'
import { logError } from '../../meta/log.ts'
import { type Family, Numbers } from './families.ts'

async function ask<T extends ObjectMetrics>(stub: InnerStub): Promise<T> {
  const response = await fetchInner(stub, metricsPath)
  return (await response.json()) as T
}

/** Returns the metrics of a collection; -1 objects if it does not respond, as kube-apiserver reports a fetching error. */
async function askCollection(
  objects: CollectionClient,
  collection: ControlMetrics['collections'][number],
): Promise<ObjectMetrics> {
  const { group, resource } = collection
  try {
    return await ask(objects.collection(group, resource))
  } catch (error) {
    logError(`metrics of ${resource}.${group}`, error)
    return { objects: { [group === '' ? resource : `${resource}.${group}`]: -1 }, watches: [], alarms: {} }
  }
}

/** Returns zero objects for each stored kind: a collection without any write is not in the response of the control object. */
function zeros(): Record<string, number> {
  return Object.fromEntries([...allKinds()].filter((kind) => kind.verbs.has('list')).map((kind) => [kind.storage.prefix, 0]))
}

function objectFamilies(counts: Readonly<Record<string, number>>): readonly Family[] {
  const storage = new Numbers(
    'gauge',
    'apiserver_storage_objects',
    '[STABLE] (Deprecated since 1.34.0) [DEPRECATED, consider using apiserver_resource_objects instead] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.',
    ['resource'],
  )
  const resource = new Numbers(
    'gauge',
    'apiserver_resource_objects',
    '[ALPHA] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.',
    ['group', 'resource'],
  )
  for (const [name, count] of Object.entries(counts)) {
    const dot = name.indexOf('.')
    storage.of(name).value = count
    resource.of(dot < 0 ? '' : name.slice(dot + 1), dot < 0 ? name : name.slice(0, dot)).value = count
  }
  return [storage, resource]
}

function watchFamilies(watches: readonly WatchMetrics[]): readonly Family[] {
  const events = new Numbers('counter', 'apiserver_watch_events_total', '[ALPHA] Number of events sent in watch clients', [
    'group',
    'version',
    'resource',
  ])
  const running = new Numbers(
    'gauge',
    'apiserver_longrunning_requests',
    '[STABLE] Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.',
    ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'],
  )
  for (const { group, version, resource, scope, watches: count, events: sent } of watches) {
    events.of(group, version, resource).value += sent
    running.of('WATCH', group, version, resource, '', scope, 'apiserver').value += count
  }
  return [running, events]
}

/** Returns the failing parts of alarms: those that succeed are left out, because each collection has several. */
function alarmFamily(all: readonly (readonly [name: string, metrics: ObjectMetrics])[]): Family {
  const failures = new Numbers(
    'gauge',
    'edgeplane_alarm_consecutive_failures',
    'Number of failures of a part of the work in the background of a Durable Object since it last succeeded.',
    ['object', 'part'],
  )
  for (const [name, { alarms }] of all) {
    for (const [part, count] of Object.entries(alarms)) if (count > 0) failures.of(name, part).value = count
  }
  return failures
}

/** Reads the metrics of all Durable Objects of the cluster in parallel. */
export async function clusterFamilies(objects: CollectionClient): Promise<readonly Family[]> {
  const control = await ask<ControlMetrics>(objects.control())
  const collections = await Promise.all(control.collections.map((collection) => askCollection(objects, collection)))
  const all = [control, ...collections]
  const counts = Object.assign(zeros(), ...all.map((one) => one.objects)) as Record<string, number>
  const names = [
    'control',
    ...control.collections.map(({ group, resource }) => (group === '' ? resource : `${resource}.${group}`)),
  ]
  const alarms = alarmFamily(all.map((one, index) => [names[index] ?? '', one]))
  return [...objectFamilies(counts), ...watchFamilies(all.flatMap((one) => one.watches)), alarms]
}

/**
 * The metrics of a cluster's Durable Objects, read for each request to /metrics: objects, operations, watches and work in the
 * background. Every isolate reads the same Durable Objects, so these numbers are not only those of one isolate.
 */

import { allKinds } from '../../catalog/scheme.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import type { ControlMetrics, ObjectMetrics } from '../../clusters/collection-metrics.ts'
import { controlProtocol } from '../../clusters/control-protocol.ts'
import { send } from '../../clusters/message.ts'
import { objectProtocol } from '../../clusters/object-protocol.ts'
import { logError } from '../../meta/log.ts'
import { type Family, Numbers } from '../../meta/metrics/families.ts'
import type { Metrics } from '../../meta/metrics/metrics.ts'

type CollectionName = ControlMetrics['collections'][number]

const nameOf = ({ group, resource }: CollectionName): string => (group === '' ? resource : `${resource}.${group}`)

/** Returns the metrics of a collection; -1 objects if it does not respond, as kube-apiserver reports a fetching error. */
async function askCollection(objects: CollectionClient, collection: CollectionName): Promise<ObjectMetrics> {
  try {
    return await send(objects.collection(collection.group, collection.resource), objectProtocol.metrics)
  } catch (error) {
    logError(`metrics of ${nameOf(collection)}`, error)
    return { objects: { [nameOf(collection)]: -1 }, samples: {}, alarms: {} }
  }
}

/** Returns zero objects for each stored kind: a collection without any write is not in the response of the control object. */
function zeros(): Record<string, number> {
  return Object.fromEntries([...allKinds()].filter((kind) => kind.verbs.has('list')).map((kind) => [kind.storage.prefix, 0]))
}

function countObjects(metrics: Metrics, counts: Readonly<Record<string, number>>): void {
  const [storage, resource] = [metrics.numbers('apiserver_storage_objects'), metrics.numbers('apiserver_resource_objects')]
  for (const [name, count] of Object.entries(counts)) {
    const dot = name.indexOf('.')
    storage.of(name).value = count
    resource.of(dot < 0 ? '' : name.slice(dot + 1), dot < 0 ? name : name.slice(0, dot)).value = count
  }
}

/** Returns the failing parts of alarms: those that succeed are left out, because each collection has several. */
function alarmFamily(all: readonly (readonly [name: string, metrics: ObjectMetrics])[]): Family {
  const failures = new Numbers('edgeplane_alarm_consecutive_failures', {
    type: 'gauge',
    help: 'Number of failures of a part of the work in the background of a Durable Object since it last succeeded.',
    labels: ['object', 'part'],
  })
  for (const [name, { alarms }] of all) {
    for (const [part, count] of Object.entries(alarms)) if (count > 0) failures.of(name, part).value = count
  }
  return failures
}

/**
 * Reads the metrics of all Durable Objects of the cluster in parallel, and adds them.
 * @returns families that kube-apiserver does not have
 */
export async function addClusterMetrics(metrics: Metrics, objects: CollectionClient): Promise<readonly Family[]> {
  const control = await send(objects.control(), controlProtocol.metrics)
  const collections = await Promise.all(control.collections.map((collection) => askCollection(objects, collection)))
  const all = [control, ...collections]
  for (const { samples } of all) metrics.merge(samples)
  countObjects(metrics, Object.assign(zeros(), ...all.map((one) => one.objects)) as Record<string, number>)
  const names = ['control', ...control.collections.map(nameOf)]
  return [alarmFamily(all.map((one, index) => [names[index] ?? '', one]))]
}

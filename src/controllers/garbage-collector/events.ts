/** The Events of the garbage collector, in the form of kube-controller-manager's. */
import { kindOf } from '../../catalog/scheme.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { rfc3339Seconds } from '../../go/time.ts'
import { logError } from '../../meta/log.ts'
import type { OwnerEvent } from './context.ts'

const component = 'garbage-collector-controller'

/**
 * Makes the function that reports owner references to other namespaces.
 * @returns a function that creates an Event about the object with the reference; it never rejects
 */
export function eventReporter(objects: CollectionClient, now: () => number): (event: OwnerEvent) => Promise<void> {
  return async ({ message, ...involvedObject }) => {
    const kind = kindOf('', 'v1', 'events')
    if (kind === undefined) return
    const { namespace, name } = involvedObject
    const time = rfc3339Seconds(now())
    const nanoseconds = (BigInt(now()) * 1_000_000n).toString(16)
    const event = {
      metadata: { name: `${name}.${nanoseconds}`, namespace },
      involvedObject,
      reason: 'OwnerRefInvalidNamespace',
      message,
      source: { component },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      type: 'Warning',
      eventTime: null,
      reportingComponent: component,
      reportingInstance: '',
    }
    const target = { group: '', version: 'v1', resource: 'events', subresource: '', namespace, name: '' }
    const write = { manager: 'kube-controller-manager', dryRun: false }
    try {
      await objects.performWithoutAnswer(kind, { verb: 'create', target, write }, JSON.stringify(event))
    } catch (error) {
      logError(`garbage collection: no Event about ${namespace}/${name}`, error)
    }
  }
}

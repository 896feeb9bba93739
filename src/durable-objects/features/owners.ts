import type { ObjectProtocol } from '../../clusters/object-protocol.ts'
import type { AlarmPart } from '../../controllers/alarms.ts'
import type { GarbageCollector } from '../../controllers/garbage-collector/wiring.ts'
import type { ObjectCopies } from '../object-copies.ts'
import type { FeatureOf } from './feature-handlers.ts'

/** The garbage collector's work: it decides about owners and dependents when all of them are here. */
const collection = (collector: GarbageCollector, copies: ObjectCopies): AlarmPart => ({
  name: collector.name,
  nextAlarm: () => collector.nextAlarm(),
  work: async (now) => {
    await copies.copy()
    await collector.work(now)
  },
})

/** Garbage collection by owner references. */
export const owners = (collector: GarbageCollector, copies: ObjectCopies): FeatureOf<ObjectProtocol, 'owners'> => ({
  jobs: [collection(collector, copies)],
  registry: { owners: collector.owners },
  changed: (event) => collector.changed(event),
  arrived: (event) => collector.changed(event),
  introduced: (place, prefix) => collector.introduce(place, prefix),
  handlers: {
    owners: async (message) => {
      await copies.copy()
      return collector.receive(message)
    },
  },
})

import { fillWithMadeObjects } from '../controllers/bootstrap/made-objects.ts'
import type { BootstrapMarker } from '../controllers/bootstrap/marker.ts'
import { bootstrapCollections } from '../controllers/bootstrap/places.ts'
import type { Kernel } from '../controllers/kernel.ts'
import type { PolicyParts } from '../controllers/policy-parts.ts'
import type { QuotaController } from '../controllers/resource-quota/wiring.ts'
import { keepPlacement } from './cluster-placement.ts'
import type { ObjectCopies } from './object-copies.ts'
import { collectionOfPlace } from './object-name.ts'

/** The parts of a control object that its start needs. */
export interface StartedParts {
  readonly bootstrapMarker: BootstrapMarker
  readonly copies: ObjectCopies
  readonly policyParts: PolicyParts
  readonly quotas: QuotaController
}

/** Starts the controllers. Objects are read only if this release runs for the first time or bootstrap objects have changed. */
export async function startControl(
  kernel: Kernel,
  { bootstrapMarker, copies, policyParts, quotas }: StartedParts,
): Promise<void> {
  const { ctx, placement, database, registry, store, alarms, queues } = kernel
  const isBootstrapped = bootstrapMarker.isSet
  if (!isBootstrapped) {
    keepPlacement(ctx.storage, placement)
    const isFilled = !database.hasTables && fillWithMadeObjects(registry, store)
    const isLeft = (place: string): boolean => (isFilled && place === 'control') || copies.has(collectionOfPlace(place) ?? '')
    await bootstrapCollections(kernel, registry, isLeft)
    policyParts.changed([])
    queues.findMissed()
  }
  await queues.start((collection) => !copies.has(collection))
  quotas.start()
  if (!isBootstrapped) bootstrapMarker.set()
  await alarms.arm()
}

/** The places that have bootstrap objects. The objects themselves are loaded only for one of these. */
import { entriesFor, type PlacedObject } from '../../clusters/placement.ts'
import type { Registry } from '../../registry/registry.ts'
import { type BootstrapPlace, bootstrapPlaces } from './collections.ts'

const places: { readonly [Place in BootstrapPlace]: Place } = {
  control: 'control',
  '/configmaps': '/configmaps',
  'networking.k8s.io/servicecidrs': 'networking.k8s.io/servicecidrs',
}

/**
 * Creates missing bootstrap objects and reconciles changed ones, in one commit before any other write of the Durable Object.
 * @param isLeft tells the places whose objects are not read
 */
export async function bootstrapCollections(
  object: PlacedObject,
  registry: Registry,
  isLeft: (place: BootstrapPlace) => boolean = () => false,
): Promise<void> {
  const own = entriesFor<BootstrapPlace>(places, object).flatMap(([, place]) => (isLeft(place) ? [] : place))
  if (own.length > 0) await bootstrapPlaces(own, registry)
}

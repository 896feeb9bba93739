/** The strategy of ResourceSlices: fields of disabled features are dropped, unless the old object had them. */
import type { Device, DeviceAttribute, ResourceSlice } from '../../../catalog/generated/types/resource.v1.ts'
import { isSame } from '../../../catalog/validation/checks.ts'
import { validateResourceSlice } from '../../../catalog/validation/resource/slice.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { withSharedValidation } from '../with-validation.ts'

const lists = ['ints', 'bools', 'strings', 'versions'] as const

const devicesOf = (slice: ResourceSlice | undefined): readonly Device[] => slice?.spec.devices ?? []
const attributesOf = (slice: ResourceSlice | undefined): DeviceAttribute[] =>
  devicesOf(slice).flatMap(({ attributes = {} }) => Object.values(attributes))
const hasList = (attribute: DeviceAttribute): boolean => lists.some((name) => attribute[name] !== undefined)
const hasMappings = ({ nodeAllocatableResourceMappings: mappings = {} }: Device): boolean => Object.keys(mappings).length > 0

/**
 * Drops the fields of disabled features.
 * @param old absent for a create
 */
function dropDisabled(object: KubernetesObject, old?: KubernetesObject): void {
  const [slice, before] = [object as ResourceSlice, old as ResourceSlice | undefined]
  if (!devicesOf(before).some(hasMappings)) {
    for (const device of devicesOf(slice)) delete device.nodeAllocatableResourceMappings
  }
  if (attributesOf(before).some(hasList)) return
  for (const attribute of attributesOf(slice)) for (const name of lists) delete attribute[name]
}

export const resourceSliceHooks: StrategyHooks = {
  ...withSharedValidation(validateResourceSlice),
  prepareForCreate: (object) => dropDisabled(object),
  prepareForUpdate(object, old) {
    // The generation is incremented even if the only changes are in fields that are then dropped.
    if (!isSame(object.spec, old.spec)) object.metadata.generation = (old.metadata.generation ?? 0) + 1
    dropDisabled(object, old)
  },
}

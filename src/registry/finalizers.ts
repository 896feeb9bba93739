/** The two finalizers of garbage collection, and their choice by a deletion. Follows deletionFinalizersForGarbageCollection. */
import type { DeleteOptions } from '../clusters/operation.ts'
import type { GarbageCollectionPolicy } from './strategy-options.ts'

/** The finalizer of an owner until no dependent references it. */
export const orphanFinalizer = 'orphan'
/** The finalizer of an owner until the dependents that block its deletion are deleted. */
export const foregroundFinalizer = 'foregroundDeletion'

/** Returns the propagation policy: that of the options, else of a present finalizer, else the default of the kind. */
function policyOf(
  finalizers: readonly string[],
  { orphanDependents, propagationPolicy }: DeleteOptions,
  kindPolicy: GarbageCollectionPolicy,
): 'Orphan' | 'Background' | 'Foreground' {
  if (kindPolicy === 'Unsupported') return 'Background'
  if (orphanDependents !== undefined) return orphanDependents ? 'Orphan' : 'Background'
  if (propagationPolicy !== undefined) return propagationPolicy
  const present = finalizers.find((name) => name === orphanFinalizer || name === foregroundFinalizer)
  if (present !== undefined) return present === orphanFinalizer ? 'Orphan' : 'Foreground'
  return kindPolicy === 'OrphanDependents' ? 'Orphan' : 'Background'
}

/** Returns the finalizers of an object after its deletion has begun; the same list if nothing changes. */
export function deletionFinalizers(
  finalizers: readonly string[],
  options: DeleteOptions,
  kindPolicy: GarbageCollectionPolicy,
): readonly string[] {
  const policy = policyOf(finalizers, options, kindPolicy)
  const wanted = policy === 'Orphan' ? orphanFinalizer : policy === 'Foreground' ? foregroundFinalizer : undefined
  const present = finalizers.filter((name) => name === orphanFinalizer || name === foregroundFinalizer)
  if (present.length === 0 && wanted === undefined) return finalizers
  if (present.length === 1 && present[0] === wanted) return finalizers
  const others = finalizers.filter((name) => name !== orphanFinalizer && name !== foregroundFinalizer)
  return wanted === undefined ? others : [...others, wanted]
}

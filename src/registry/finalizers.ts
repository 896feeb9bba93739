/** The two finalizers of garbage collection, and which of them a deletion sets. Follows the registry's Delete. */
import type { DeleteOptions } from '../clusters/operation.ts'
import type { GarbageCollectionPolicy } from './strategy-options.ts'

/** Holds an owner until no dependent refers to it any more. */
export const orphanFinalizer = 'orphan'
/** Holds an owner until the dependents that block its deletion are gone. */
export const foregroundFinalizer = 'foregroundDeletion'

/** What becomes of the dependents: a deletion's own word first, then a finalizer that is there, then the kind's default. */
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

/** The finalizers of an object once its deletion has begun; the same list where nothing changes. */
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

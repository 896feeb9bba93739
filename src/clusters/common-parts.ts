/** The parts of the policy snapshot that new clusters of an isolate have in common. */
import { type PolicyChanges, unknownParts } from './policy-snapshot.ts'

/** The first characters of their versions. Parts with the same version are the same in all clusters. */
export const commonVersion = 'new-clusters-'

let known = unknownParts

/** Returns those that a Worker has loaded for any cluster: it asks for those of a further cluster with their versions. */
export const commonParts = (): typeof unknownParts => known

/** Keeps the common ones of the parts that the first request for a cluster has brought. */
export function keepCommonParts(changes: PolicyChanges): void {
  const common = Object.entries(changes).filter(([, { version }]) => version.startsWith(commonVersion))
  if (common.length > 0) known = { ...known, ...Object.fromEntries(common) }
}

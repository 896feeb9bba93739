/** The lifecycles of all resources in all versions. A server of the newest release with its defaults never reads them. */
import { lifecycles } from './generated/lifecycle.ts'
import type { ResourceLifecycle } from './lifecycle.ts'

/** Returns every resource in every version that a release since 1.15 can serve, sorted by group, version and resource. */
export function lifecycleRows(): readonly ResourceLifecycle[] {
  return lifecycles
}

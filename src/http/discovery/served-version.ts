/** The resources of a group version as discovery lists them, built in or custom. */
import type { Priorities } from '../../catalog/group-priorities.ts'
import type { JsonObject } from '../../go/json-value.ts'
import type { ResourceTable } from '../../schema/tables.ts'

/** A resource. `storageVersion` is the version in which it is stored, if that is not the served version. */
export interface ServedResource extends ResourceTable {
  readonly storageVersion?: string
}

/** A group version. A built-in kind's VersionTable has this shape too. */
export interface ServedVersion {
  readonly group: string
  readonly version: string
  readonly resources: readonly ServedResource[]
  /** The priorities of a built-in version if they are not those of the newest release. */
  readonly priorities?: Priorities
  /** Set if the resources come from CustomResourceDefinitions: their documents and routes differ in details. */
  readonly custom?: true
  /** Set if another API server serves the version. Then `resources` is empty: that server describes them itself. */
  readonly remote?: RemoteVersion
}

/** The version of another API server. */
export interface RemoteVersion {
  readonly groupPriority: number
  readonly versionPriority: number
  /** An APIVersionDiscovery. */
  readonly discovery: JsonObject
}

/** Returns `apps/v1`, or `v1` for the core group. */
export function groupVersionText(served: { readonly group: string; readonly version: string }): string {
  return served.group === '' ? served.version : `${served.group}/${served.version}`
}

/** Whether discovery lists a version: one of this server only if it has resources. */
export const isListed = ({ resources, remote }: ServedVersion): boolean => resources.length > 0 || remote !== undefined

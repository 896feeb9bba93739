/** The resources of a group version as discovery lists them, built in or custom. */
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
  /** Set if the resources come from CustomResourceDefinitions: their documents and routes differ in details. */
  readonly custom?: true
}

/** Returns `apps/v1`, or `v1` for the core group. */
export function groupVersionText(of: { readonly group: string; readonly version: string }): string {
  return of.group === '' ? of.version : `${of.group}/${of.version}`
}

/** What discovery tells of: the resources of a group's version, built in or custom. */
import type { ResourceTable } from '../../schema/tables.ts'

/** A resource with the version in which it is stored, where that is not the version that it is served in. */
export interface ServedResource extends ResourceTable {
  readonly storageVersion?: string
}

/** A group's version. A built-in kind's VersionTable is one. */
export interface ServedVersion {
  readonly group: string
  readonly version: string
  readonly resources: readonly ServedResource[]
  /** Its resources come from CustomResourceDefinitions: their documents and routes differ in small things. */
  readonly custom?: true
}

/** `apps/v1`, and `v1` of the core group. */
export function groupVersionText(of: { readonly group: string; readonly version: string }): string {
  return of.group === '' ? of.version : `${of.group}/${of.version}`
}

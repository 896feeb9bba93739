/** The contents of releases.json, which record-releases.ts writes: what each release of Kubernetes serves. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Lifecycle } from '../../src/schema/tables.ts'

/** A resource in one version. */
export interface ResourceFacts {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly kind: string
  readonly namespaced: boolean
}

/** A resource over all releases. Spans of releases are texts: `1.15-1.17,1.30`. */
export interface ReleaseResource extends ResourceFacts {
  /** The releases that can serve it. */
  readonly releases: string
  /** The releases that serve it by default; empty if none does. */
  readonly onByDefault: string
  /** The facts of the Go type. */
  readonly lifecycle?: Lifecycle
}

/** One release, as its sources describe it. */
export interface RecordedRelease {
  readonly minor: number
  readonly resources: ReadonlyMap<string, ResourceFacts>
  readonly isOnByDefault: (resource: ResourceFacts) => boolean
  readonly priorities: ReadonlyMap<string, string>
}

/** The contents of releases.json. */
export interface ReleaseFacts {
  readonly modules: readonly string[]
  readonly resources: readonly ReleaseResource[]
  /** By `<group>/<version>`: the group's and the version's priority, with the releases in which they are so. */
  readonly priorities: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** Reads releases.json beside this file. */
export function readReleases(): ReleaseFacts {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'releases.json'), 'utf8'))
}

/** The lifecycle of API versions: which releases of Kubernetes serve a resource in a version. */
import type { Release } from '../schema/tables.ts'

/** The newest release, whose API this server implements, and the oldest one that it emulates. */
export const newestRelease: Release = [1, 36]
export const oldestRelease: Release = [1, 15]

/** A kind that takes the place of another one. */
export interface ReplacementKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** A resource in one version, with the releases in which it was introduced, deprecated and removed. */
export interface ResourceLifecycle {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly kind: string
  readonly namespaced: boolean
  readonly introduced: Release
  readonly deprecated?: Release
  /** The first release that does not serve it; it may lie in the future. */
  readonly removed?: Release
  readonly replacement?: ReplacementKind
  /** Whether the releases that can serve it do so without being told. */
  readonly onByDefault: boolean
}

/** Compares releases: negative if `a` is older. */
export function compareReleases(a: Release, b: Release): number {
  return a[0] - b[0] || a[1] - b[1]
}

/** Whether a release can serve the resource: it was introduced by then, and not yet removed. */
export function isIn({ introduced, removed }: ResourceLifecycle, release: Release): boolean {
  return compareReleases(introduced, release) <= 0 && (removed === undefined || compareReleases(release, removed) < 0)
}

/** Whether the resource is deprecated in a release, removed or not. */
export function isDeprecatedIn({ deprecated }: ResourceLifecycle, release: Release): boolean {
  return deprecated !== undefined && compareReleases(deprecated, release) <= 0
}

/** Returns a release as text: `1.36`. */
export function releaseText([major, minor]: Release): string {
  return `${major}.${minor}`
}

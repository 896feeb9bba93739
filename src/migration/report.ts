/** The result of a migration check: everything that refers to a version that is removed, and the patch that mends it. */
import type { JsonObject, JsonValue } from '../go/json-value.ts'

/** The way in which an object uses a version. */
export type UseKind =
  /** The object itself has no other version. */
  | 'object'
  /** A manifest in a file has this version. */
  | 'manifest'
  /** The annotation in which `kubectl apply` keeps the manifest has this version. */
  | 'lastApplied'
  /** A field manager wrote with this version. */
  | 'managedFields'
  | 'ownerReference'
  /** A field names an object with its apiVersion and kind. */
  | 'reference'
  /** A rule of a webhook, policy, role, flow schema or quota names the resource. */
  | 'rule'
  /** A manifest of a Helm release has this version. */
  | 'helmRelease'

/** An operation of a JSON patch (RFC 6902). */
export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'test'
  readonly path: string
  /** Absent for a removal. */
  readonly value?: JsonValue
}

/** The change that mends a use. */
export type Mend =
  | { readonly type: 'json-patch'; readonly patch: readonly PatchOperation[] }
  /** The manifest itself has to change: `mended` of the object is the whole of it. */
  | { readonly type: 'manifest' }
  /** Nothing can be patched: the client has to change. */
  | { readonly type: 'advice'; readonly advice: string }

/** A use of a version that is removed. */
export interface Use {
  readonly by: UseKind
  /** The place in the object as a JSON pointer, '' for the object itself; in a Helm release, the kind and name of the manifest. */
  readonly path: string
  /** The version: `extensions/v1beta1`. */
  readonly apiVersion: string
  readonly kind: string
  /** The first release without it: `1.22`. */
  readonly removedIn: string
  /** Absent if the kind is gone. */
  readonly replacement?: { readonly apiVersion: string; readonly kind: string; readonly resource: string }
  /** The field manager, with its operation and the time of its last write. */
  readonly manager?: { readonly name: string; readonly operation: string; readonly subresource?: string; readonly time?: string }
  readonly mend: Mend
}

/** An object with uses. */
export interface AffectedObject {
  readonly apiVersion: string
  readonly kind: string
  /** Plural; '' for a manifest. */
  readonly resource: string
  readonly namespace?: string
  readonly name: string
  /** The file of a manifest. */
  readonly file?: string
  /** The manifest with all mends, in a version that is served; absent if a person has to write it. */
  readonly mended?: JsonObject
  readonly uses: readonly Use[]
}

/** Requests of one client for one version and verb. */
export interface AffectedRequests {
  /** Absent if the server does not tell. */
  readonly userAgent?: string
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly removedIn: string
  readonly replacement?: string
  readonly count: number
  /** The time of the last one; absent if the server does not tell. */
  readonly lastTime?: string
}

/** A field manager with the number of objects that it wrote with a version that is removed. */
export interface AffectedManager {
  readonly name: string
  readonly apiVersion: string
  readonly kind: string
  readonly objects: number
  /** The latest of its writes. */
  readonly lastTime?: string
}

/** A version that is removed and used. */
export interface UsedRemoval {
  readonly apiVersion: string
  readonly kind: string
  readonly removedIn: string
  readonly replacement?: string
  /** The changes between the versions that the deprecation guide names. */
  readonly notes: readonly string[]
}

/** A migration check. */
export interface MigrationReport {
  readonly apiVersion: 'edgeplane.dev/v1'
  readonly kind: 'MigrationReport'
  readonly from: string
  readonly to: string
  readonly removals: readonly UsedRemoval[]
  readonly objects: readonly AffectedObject[]
  readonly managers: readonly AffectedManager[]
  readonly requests: readonly AffectedRequests[]
  /** Resources and paths that could not be read, with the reason. */
  readonly unread: readonly { readonly what: string; readonly why: string }[]
  /** The number of affected objects beyond the bound, which are not in the list. */
  readonly moreObjects: number
}

/**
 * The strategy of Cluster objects: each belongs to the user who made it, within the limits of the deployment for such users. Its
 * hooks do nothing in named clusters, in which the objects have no effect.
 */
import { createHash } from 'node:crypto'
import { mastersGroup } from '../../../auth/user.ts'
import { type ClusterOwnerLimits, limitedFields } from '../../../config/cluster-owner-limits.ts'
import { parseDuration } from '../../../go/duration.ts'
import { isObject } from '../../../go/json-object.ts'
import type { JsonObject } from '../../../go/json-value.ts'
import { rfc3339Seconds } from '../../../go/time.ts'
import { type ApiError, forbidden } from '../../../meta/errors.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { StrategyContext, StrategyHooks } from '../../hooks.ts'

/** The annotation with the name of the user who made the cluster, and the label with its hash, by which it is found. */
export const ownerAnnotation = 'edgeplane.dev/owner'
const ownerLabel = ownerAnnotation

/** Names of users may have characters that labels have not. */
const labelOf = (user: string): string => createHash('sha256').update(user).digest('hex').slice(0, 40)

const prefix = 'clusters.edgeplane.dev/'

/** The user and the limits of a write; undefined if the server itself writes, or outside the default cluster. */
function ownerOf({ user, services }: StrategyContext) {
  const { clusterOwnerLimits: limits } = services
  if (user === undefined || limits === undefined) return undefined
  return { user, limits: user.groups.includes(mastersGroup) ? {} : limits, isMaster: user.groups.includes(mastersGroup) }
}

const specOf = ({ spec }: KubernetesObject): JsonObject => (isObject((spec as JsonObject) ?? null) ? (spec as JsonObject) : {})
const limitsOf = (spec: JsonObject): JsonObject => (isObject(spec.limits ?? null) ? (spec.limits as JsonObject) : {})

/** Returns the latest expiry that an owner may choose, in milliseconds since the epoch; undefined without a limit. */
function latestExpiry({ expiry }: ClusterOwnerLimits, now: number): number | undefined {
  return expiry === undefined ? undefined : now + Number(parseDuration(expiry) / 1_000_000n)
}

/**
 * Returns the time of an expiry; NaN for an invalid one, which the definition refuses.
 * @param created the time of the creation in milliseconds since the epoch
 */
function timeOf(expiry: string, created: number): number {
  if (/^\d{4}-/.test(expiry)) return Date.parse(expiry)
  try {
    return created + Number(parseDuration(expiry) / 1_000_000n)
  } catch {
    return Number.NaN
  }
}

/** Returns the time at which a cluster was made, or is being made: a client may send any creationTimestamp. */
const createdAt = (old: KubernetesObject | undefined, now: number): number =>
  old?.metadata.creationTimestamp === undefined ? now : Date.parse(old.metadata.creationTimestamp)

/** Returns the reason why a spec exceeds the limits of owners; undefined if it does not. */
function excessOf(
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  limits: ClusterOwnerLimits,
  now: number,
): string | undefined {
  const spec = specOf(object)
  const own = limitsOf(spec)
  for (const field of limitedFields) {
    const [wanted, most] = [own[field], limits[field]]
    if (typeof wanted === 'number' && most !== undefined && wanted > most) {
      return `exceeded quota: owner, requested: spec.limits.${field}=${wanted}, limited: ${field}=${most}`
    }
  }
  const latest = latestExpiry(limits, now)
  const { expiry } = spec
  // A second is lost by the time format.
  if (latest === undefined || typeof expiry !== 'string' || !(timeOf(expiry, createdAt(old, now)) > latest + 1000))
    return undefined
  return `exceeded quota: owner, requested: spec.expiry=${expiry}, limited: expiry=${limits.expiry}`
}

/** Returns the number of clusters of an owner. */
function countOf({ services }: StrategyContext, user: string): number {
  const { store } = services
  const indexHints = { labels: [`"${ownerLabel}":"${labelOf(user)}"`], keyEnd: '' }
  return store.list({ prefix, limit: 2000, resourceVersion: store.resourceVersion, indexHints }).items.length
}

function refusalOf(object: KubernetesObject, old: KubernetesObject | undefined, context: StrategyContext): ApiError | undefined {
  const owner = ownerOf(context)
  if (owner === undefined || owner.isMaster) return undefined
  const { user, limits } = owner
  const name = object.metadata.name ?? ''
  const excess = excessOf(object, old, limits, context.now)
  if (excess !== undefined) return forbidden(context.kind, name, excess)
  if (old !== undefined || limits.clusters === undefined) return undefined
  const used = countOf(context, user.name)
  if (used < limits.clusters) return undefined
  const why = `exceeded quota: owner, requested: clusters=1, used: clusters=${used}, limited: clusters=${limits.clusters}`
  return forbidden(context.kind, name, why)
}

/** Sets limits that the spec leaves open to those of owners. */
function limit(object: KubernetesObject, limits: ClusterOwnerLimits, now: number): void {
  const spec: JsonObject = { ...specOf(object) }
  const own = limitsOf(spec)
  const most = limitedFields.flatMap((field) => {
    const { [field]: value } = limits
    return value === undefined || own[field] !== undefined ? [] : [[field, value] as const]
  })
  if (most.length > 0) spec.limits = { ...own, ...Object.fromEntries(most) }
  const latest = latestExpiry(limits, now)
  if (latest !== undefined) spec.expiry ??= rfc3339Seconds(latest)
  object.spec = spec
}

/** Sets the owner: nobody else may. */
function own({ metadata }: KubernetesObject, owner: string | undefined): void {
  const { [ownerAnnotation]: _given, ...annotations } = metadata.annotations ?? {}
  const { [ownerLabel]: _label, ...labels } = metadata.labels ?? {}
  metadata.annotations = owner === undefined ? annotations : { ...annotations, [ownerAnnotation]: owner }
  metadata.labels = owner === undefined ? labels : { ...labels, [ownerLabel]: labelOf(owner) }
  if (Object.keys(metadata.annotations).length === 0) delete metadata.annotations
  if (Object.keys(metadata.labels).length === 0) delete metadata.labels
}

/** The hooks of Cluster objects, beside those of all custom resources. */
export const clusterHooks: StrategyHooks = {
  authorizeWrite: refusalOf,
  prepareForCreate(object, context) {
    const owner = ownerOf(context)
    if (owner === undefined) return
    // An administrator may make a cluster for somebody else.
    own(object, owner.isMaster ? object.metadata.annotations?.[ownerAnnotation] : owner.user.name)
    limit(object, owner.limits, context.now)
  },
  prepareForUpdate(object, old, context) {
    const owner = ownerOf(context)
    if (owner === undefined) return
    const former = old.metadata.annotations?.[ownerAnnotation]
    own(object, owner.isMaster ? (object.metadata.annotations?.[ownerAnnotation] ?? former) : former)
    limit(object, owner.limits, context.now)
  },
}

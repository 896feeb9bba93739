/**
 * Bootstrap tokens, with which nodes join a cluster. They are held in Secrets of kube-system. Follows "Authenticating with
 * Bootstrap Tokens".
 */
import { timingSafeEqual } from 'node:crypto'
import type { CollectionClient } from '../clusters/collection-client.ts'
import { findObject } from '../clusters/read-object.ts'
import { parseTime } from '../go/time.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { User } from '../meta/user.ts'

const tokenPattern = /^([a-z0-9]{6})\.([a-z0-9]{16})$/
const groupPattern = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/
const everyBootstrapper = 'system:bootstrappers'

interface Secret extends KubernetesObject {
  type?: string
  data?: Readonly<Record<string, string>>
}

/** Whether the token has expired. An expiration that cannot be parsed counts as passed. */
function hasExpired(expiration: string, now: number): boolean {
  if (expiration === '') return false
  try {
    const { seconds, nanoseconds } = parseTime(expiration)
    return seconds * 1000 + nanoseconds / 1e6 <= now
  } catch {
    return true
  }
}

/** Returns the extra groups with system:bootstrappers, sorted; undefined if a group is not allowed. */
function groupsOf(extra: string): string[] | undefined {
  const groups = extra === '' ? [] : extra.split(',')
  if (!groups.every((group) => groupPattern.test(group))) return undefined
  return [...new Set([everyBootstrapper, ...groups])].sort()
}

function isSame(some: string, other: string): boolean {
  const [a, b] = [Buffer.from(some), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/**
 * Returns the user of a bootstrap token, as its Secret defines it.
 * @param now milliseconds since the epoch
 * @returns undefined if the Secret is not a valid, unexpired token for authentication
 */
export function bootstrapUser({ metadata, type, data = {} }: Secret, id: string, secret: string, now: number): User | undefined {
  const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString()
  if (metadata.deletionTimestamp !== undefined || type !== 'bootstrap.kubernetes.io/token') return undefined
  if (!isSame(text('token-secret'), secret) || text('token-id') !== id) return undefined
  if (hasExpired(text('expiration'), now) || text('usage-bootstrap-authentication') !== 'true') return undefined
  const groups = groupsOf(text('auth-extra-groups'))
  return groups === undefined ? undefined : { name: `system:bootstrap:${id}`, uid: '', groups, extra: {} }
}

/** Returns an authenticator that reads the current Secret of each token. */
export function bootstrapTokens(objects: CollectionClient): (token: string) => Promise<User | undefined> {
  return async (token) => {
    const [, id = '', secret = ''] = tokenPattern.exec(token) ?? []
    if (id === '') return undefined
    const name = `bootstrap-token-${id}`
    const stored = await findObject<Secret>(objects, { resource: 'secrets', namespace: 'kube-system', name })
    return stored === undefined ? undefined : bootstrapUser(stored, id, secret, Date.now())
  }
}

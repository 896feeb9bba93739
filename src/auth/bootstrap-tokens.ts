/**
 * Bootstrap tokens, with which nodes join a cluster. They are held in Secrets of kube-system. Follows "Authenticating with
 * Bootstrap Tokens".
 */
import { timingSafeEqual } from 'node:crypto'
import type { CollectionClient } from '../clusters/collection-client.ts'
import { listObjects } from '../clusters/read-object.ts'
import { StrangerRead, StrangerTurns } from '../clusters/stranger-reads.ts'
import { parseTime } from '../go/time.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { User } from '../meta/user.ts'

const tokenPattern = /^([a-z0-9]{6})\.([a-z0-9]{16})$/
const groupPattern = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/
const tokenType = 'bootstrap.kubernetes.io/token'
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
  if (metadata.deletionTimestamp !== undefined || type !== tokenType) return undefined
  if (!isSame(text('token-secret'), secret) || text('token-id') !== id) return undefined
  if (hasExpired(text('expiration'), now) || text('usage-bootstrap-authentication') !== 'true') return undefined
  const groups = groupsOf(text('auth-extra-groups'))
  return groups === undefined ? undefined : { name: `system:bootstrap:${id}`, uid: '', groups, extra: {} }
}

/** The maximum age of the known Secrets, in milliseconds. */
const maximumAge = 1000

/** Reads the Secrets of all bootstrap tokens. */
async function readSecrets(objects: CollectionClient): Promise<readonly Secret[]> {
  const found: Secret[] = []
  const collection = { resource: 'secrets', namespace: 'kube-system' }
  for await (const secret of listObjects<Secret>(objects, collection, `type=${tokenType}`)) found.push(secret)
  return found
}

/**
 * Returns an authenticator of bootstrap tokens. An unknown token is looked for in the Secrets of all tokens, so that one read
 * answers all such requests of a second, whatever the tokens are.
 * @param turns the budget for reads on behalf of strangers
 */
export function bootstrapTokens(
  objects: CollectionClient,
  turns = new StrangerTurns(),
  now = Date.now,
): (token: string) => Promise<User | undefined> {
  const reads = new StrangerRead(turns, async () => {
    const at = Date.now()
    return { secrets: await readSecrets(objects), at }
  })
  let known: Awaited<ReturnType<typeof reads.next>>
  const holderOf = (id: string, secret: string): User | undefined => {
    const stored = known?.secrets.find(({ metadata }) => metadata.name === `bootstrap-token-${id}`)
    return stored === undefined ? undefined : bootstrapUser(stored, id, secret, now())
  }
  return async (token) => {
    const [, id = '', secret = ''] = tokenPattern.exec(token) ?? []
    if (id === '') return undefined
    const recent = known !== undefined && Date.now() - known.at < maximumAge ? holderOf(id, secret) : undefined
    if (recent !== undefined) return recent
    known = (await reads.next()) ?? known
    return holderOf(id, secret)
  }
}

/** Sends a case to a server and normalizes the response for comparison. */
import type { Client } from '../../test/client.ts'

/** A response with timestamps and random values replaced. */
export interface NormalizedResponse {
  readonly status: number
  readonly warnings: readonly string[]
  readonly body: unknown
}

/** A response with the object's resourceVersion, which differs between servers. */
type Answer = NormalizedResponse & { readonly version: string }

/** The timeout of a response, in milliseconds. */
const patience = 30_000

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** The random suffixes of names. */
const volumeOfToken = /(?<=kube-api-access-)[a-z0-9]{5}/g

/** Matches times of the current day. */
const today = new RegExp(`${new Date().toISOString().slice(0, 10)}T\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z`, 'g')

/** Values that differ between servers, by field name. */
const chance: Readonly<Record<string, string>> = {
  resourceVersion: '<version>',
  creationTimestamp: '<time>',
  lastPhaseTransitionTime: '<time>',
  time: '<time>',
  uid: '<uid>',
  clusterIP: '<address>',
  clusterIPs: '<addresses>',
  nodePort: '<port>',
  healthCheckNodePort: '<port>',
}

/** Removes the requesting user, who differs between servers. */
function withoutAsker(spec: object): object {
  if (!('username' in spec)) return spec
  const { username: _name, uid: _uid, groups: _groups, extra: _extra, ...rest } = spec as Record<string, unknown>
  return rest
}

/** The length of a generateName that is kept in the name. */
const keptOfPrefix = 58

/** Removes the random suffix of a generated name. */
function withoutGenerated(text: string, sent: string): string {
  const { metadata } = JSON.parse(sent === '' ? '{}' : sent) as { metadata?: { generateName?: unknown } }
  const prefix = metadata?.generateName
  if (typeof prefix !== 'string' || prefix === '') return text
  const kept = JSON.stringify(prefix.slice(0, keptOfPrefix)).slice(1, -1)
  const literally = kept.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return text.replace(new RegExp(`(?<=${literally})[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9])`, 'g'), '<chance>')
}

function settled(text: string, sent: string): unknown {
  return JSON.parse(
    withoutGenerated(text, sent).replace(uuid, '<uid>').replace(volumeOfToken, '<chance>').replace(today, '<now>'),
    (key, value: unknown) => {
      if (key === 'spec' && typeof value === 'object' && value !== null) return withoutAsker(value)
      const placeholder = chance[key]
      if (placeholder === undefined || value === null) return value
      // A value of the request must come back unchanged.
      return sent.includes(`"${key}":${JSON.stringify(value)}`) ? value : placeholder
    },
  )
}

/** Sorts the rules of a SelfSubjectRulesReview: in kube-apiserver their order depends on its cache of roles and bindings. */
function withSortedRules(body: unknown): unknown {
  const { kind, status } = (body ?? {}) as { kind?: unknown; status?: Record<string, unknown> }
  if (kind !== 'SelfSubjectRulesReview' || status === undefined) return body
  for (const [name, rules] of Object.entries(status)) {
    if (Array.isArray(rules)) status[name] = rules.map((rule) => JSON.stringify(rule)).sort()
  }
  return body
}

function parsed(text: string, sent: string): unknown {
  try {
    return withSortedRules(settled(text, sent))
  } catch {
    return text
  }
}

const versionOf = (text: string): string => /"resourceVersion":"(\d+)"/.exec(text)?.[1] ?? ''

function withVersion(body: string, version: string): string {
  const { metadata, ...rest } = JSON.parse(body) as { metadata: unknown }
  const isObject = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata)
  return isObject ? JSON.stringify({ ...rest, metadata: { ...metadata, resourceVersion: version } }) : body
}

/**
 * Sends a request.
 * @param object the object as JSON; undefined for no body
 * @param version sent as its resourceVersion
 */
export async function exchange(to: Client, method: string, path: string, object?: string, version?: string): Promise<Answer> {
  const body = object === undefined || version === undefined ? object : withVersion(object, version)
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const headers = { 'user-agent': 'differential/1', ...(body !== undefined && { 'content-type': type }) }
  const late = AbortSignal.timeout(patience)
  const { promise: unanswered, resolve } = Promise.withResolvers<undefined>()
  late.addEventListener('abort', () => resolve(undefined))
  const reply = await Promise.race([to.send(path, { method, headers, body }).catch(() => undefined), unanswered])
  if (reply === undefined) return { status: 0, warnings: [], body: 'no answer', version: '' }
  return {
    status: reply.status,
    warnings: reply.warnings.toSorted(),
    body: parsed(reply.text, object ?? ''),
    version: versionOf(reply.text),
  }
}

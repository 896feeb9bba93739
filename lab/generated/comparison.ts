/** Sends the cases of one kind to two servers, and compares the responses. */
import type { Kind } from '../../src/catalog/kind.ts'
import type { JsonObject } from '../../src/go/json-value.ts'
import { strategyOptionsOf } from '../../src/registry/strategy-options.ts'
import type { Client } from '../../test/client.ts'
import type { Case } from './cases.ts'
import { exchange, type NormalizedResponse } from './exchange.ts'
import { controlled, names } from './samples.ts'

/** status: an update of the object through /status. */
export type Verb = 'create' | 'update' | 'status'

/** A response of Edgeplane that differs from kube-apiserver's. */
export interface Difference {
  /** `<resource>[.<group>]/<version>`. */
  readonly resource: string
  readonly verb: Verb
  readonly path: string
  readonly what: string
  readonly ours: NormalizedResponse
  readonly theirs: NormalizedResponse
}

/** Edgeplane and kube-apiserver. */
export type Servers = readonly [Client, Client]

const objectName = 'case'
const concurrency = 8

/** Returns `<resource>[.<group>]`. */
export const servedAs = ({ group, resource }: Kind): string => (group === '' ? resource : `${resource}.${group}`)

/**
 * Whether two responses are equal, including the order of keys. If kube-apiserver crashes and closes the connection, any 4xx is
 * correct.
 */
function same(kind: Kind, verb: Verb, a: NormalizedResponse, b: NormalizedResponse): boolean {
  if (b.status === 0) return a.status >= 400 && a.status < 500
  const isControlled = verb !== 'create' && controlled.has(servedAs(kind))
  const parts = ({ status, warnings, body }: NormalizedResponse) =>
    JSON.stringify([status, warnings, isControlled && status === 200 ? withoutControlled(body) : body])
  return parts(a) === parts(b)
}

function withoutControlled(body: unknown): unknown {
  const { metadata, status: _status, ...rest } = body as { metadata: Record<string, unknown>; status?: unknown }
  const { managedFields: _managers, finalizers: _held, generation: _counted, ...meta } = metadata
  return { ...rest, metadata: meta }
}

function collectionPath(kind: Kind, namespace: string): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
  return kind.namespaced ? `${root}/namespaces/${namespace}/${kind.resource}` : `${root}/${kind.resource}`
}

/** Returns the name of the object. Cluster-scoped objects get a different name in every run, if names are free. */
export const nameOf = (kind: Kind, namespace: string): string =>
  kind.namespaced ? objectName : (names[kind.storage.prefix] ?? `${namespace}-${objectName}`)

/**
 * Sends a request to both servers.
 * @param versions the resourceVersion for each server; omitted if absent
 */
export async function both(servers: Servers, method: string, path: string, body?: string, versions: readonly string[] = []) {
  const [ours, theirs] = await Promise.all(servers.map((server, at) => exchange(server, method, path, body, versions[at])))
  if (ours === undefined || theirs === undefined) throw new Error('two servers are needed')
  return { ours, theirs }
}

/** The resourceVersion in updates for each server: absent, that of the first write, or the current one. */
type Versions = readonly string[] | 'current'

/** The request of a verb's cases. */
interface Sending {
  readonly method: string
  readonly path: string
  readonly versions: Versions
}

function sendingOf(kind: Kind, namespace: string, verb: Verb, versions: readonly string[]): Sending {
  const collection = collectionPath(kind, namespace)
  if (verb === 'create') return { method: 'POST', path: collection, versions: [] }
  const path = `${collection}/${nameOf(kind, namespace)}${verb === 'status' ? '/status' : ''}`
  const isConditional = !strategyOptionsOf(kind.storage.prefix).allowUnconditionalUpdate
  if (!isConditional) return { method: 'PUT', path, versions: [] }
  return { method: 'PUT', path, versions: controlled.has(servedAs(kind)) ? 'current' : versions }
}

async function versionsOf(servers: Servers, path: string, versions: Versions): Promise<readonly string[]> {
  if (versions !== 'current') return versions
  return Promise.all(servers.map(async (server) => (await exchange(server, 'GET', path)).version))
}

async function play(servers: Servers, kind: Kind, verb: Verb, sending: Sending, cases: readonly Case[]): Promise<Difference[]> {
  const { method, path, versions } = sending
  const differences: Difference[] = []
  const waiting = cases.values()
  const worker = async (): Promise<void> => {
    for (const { path: field, what, object } of waiting) {
      const send = async () => {
        const sent = field.includes('.metadata.resourceVersion') ? [] : await versionsOf(servers, path, versions)
        return both(servers, method, `${path}?dryRun=All`, JSON.stringify(object), sent)
      }
      let { ours, theirs } = await send()
      // A controller changed the object in between.
      for (let again = 0; again < 5 && versions === 'current' && ours.status !== theirs.status; again++) {
        ;({ ours, theirs } = await send())
      }
      if (!same(kind, verb, ours, theirs))
        differences.push({ resource: `${servedAs(kind)}/${kind.version}`, verb, path: field, what, ours, theirs })
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return differences
}

/** Creates the object that updates change. Returns its resourceVersion on each server. */
async function store(servers: Servers, kind: Kind, namespace: string, base: JsonObject): Promise<string[]> {
  const versions = servers.map(async (server) => {
    for (let attempt = 0; attempt < 600; attempt++) {
      const { status, body, version } = await exchange(server, 'POST', collectionPath(kind, namespace), JSON.stringify(base))
      if (status === 201) return version
      // The object of an earlier run may still be terminating.
      if (status !== 409) throw new Error(`${kind.resource} at ${server.url}: ${JSON.stringify(body)}`)
      await new Promise((done) => setTimeout(done, 100))
    }
    throw new Error(`${kind.resource} at ${server.url}: the name stays taken`)
  })
  return Promise.all(versions)
}

/** Deletes the object that updates changed, and removes its finalizers. */
async function remove(servers: Servers, kind: Kind, namespace: string): Promise<void> {
  const path = `${collectionPath(kind, namespace)}/${nameOf(kind, namespace)}`
  await both(servers, 'DELETE', `${path}?gracePeriodSeconds=0`)
  await both(servers, 'PATCH', path, JSON.stringify({ metadata: { finalizers: null } }))
}

/**
 * Sends all cases of a kind and verb. Nothing is stored, except for the object that updates change, which is deleted afterwards.
 * @param base the existing object for updates
 * @throws Error if that object is refused
 */
export async function compare(
  servers: Servers,
  { kind, verb, namespace, base }: { kind: Kind; verb: Verb; namespace: string; base: JsonObject },
  cases: readonly Case[],
): Promise<Difference[]> {
  const versions = verb === 'create' ? [] : await store(servers, kind, namespace, base)
  try {
    return await play(servers, kind, verb, sendingOf(kind, namespace, verb, versions), cases)
  } finally {
    if (verb !== 'create') await remove(servers, kind, namespace)
  }
}

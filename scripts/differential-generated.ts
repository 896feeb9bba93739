/**
 * Sends generated objects to a server of ours and to kube-apiserver, and compares the whole answers:
 *
 *   npm run differential:generated -- --reference URL --reference-token T [--server URL --token T]
 *     [--resources pods,deployments.apps] [--verbs create,update,status] [--base smallest|fullest] [--sample N] [--seed N] [--path PREFIX] [--json FILE] [--verbose]
 *
 * A case is one good object with one field broken; nothing of it is kept (dry run), but for the one that updates change.
 * Prints, per resource and verb, the share of equal answers; --verbose prints each difference.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { allKinds } from '../src/catalog/catalogue.ts'
import type { Kind } from '../src/catalog/kind.ts'
import type { JsonObject } from '../src/meta/json-value.ts'
import { rulesOf } from '../src/registry/rules.ts'
import { type Case, casesOf } from './generated/cases.ts'
import { type Endpoint, type Exchange, exchange } from './generated/exchange.ts'
import { fullest } from './generated/fullest.ts'
import { randomFrom, sampleOf } from './generated/random.ts'
import { controlled, names, smallest } from './generated/samples.ts'
import { startServer } from './own-server.ts'

const { values } = parseArgs({
  options: {
    resources: { type: 'string', default: Object.keys(smallest).join(',') },
    verbs: { type: 'string', default: 'create,update,status' },
    sample: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    base: { type: 'string', default: 'smallest' },
    path: { type: 'string', default: '' },
    json: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    server: { type: 'string' },
    token: { type: 'string', default: '' },
    reference: { type: 'string', default: '' },
    'reference-token': { type: 'string', default: '' },
  },
})

/** status: an update of the object through /status. */
type Verb = 'create' | 'update' | 'status'

interface Difference {
  readonly resource: string
  readonly verb: Verb
  readonly path: string
  readonly what: string
  readonly ours: Exchange
  readonly theirs: Exchange
}

const namespace = `generated-${process.pid}`
const objectName = 'case'
const concurrency = 8

/** In the order of the keys that they have, which is part of an answer. */
function same(kind: Kind, verb: Verb, a: Exchange, b: Exchange): boolean {
  const isControlled = verb !== 'create' && controlled.has(servedAs(kind))
  const parts = ({ status, warnings, body }: Exchange) =>
    JSON.stringify([status, warnings, isControlled && status === 200 ? withoutControlled(body) : body])
  return parts(a) === parts(b)
}

function withoutControlled(body: unknown): unknown {
  const { metadata, status: _status, ...rest } = body as { metadata: Record<string, unknown>; status?: unknown }
  const { managedFields: _managers, finalizers: _held, generation: _counted, ...meta } = metadata
  return { ...rest, metadata: meta }
}

function collectionPath(kind: Kind): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
  return kind.namespaced ? `${root}/namespaces/${namespace}/${kind.resource}` : `${root}/${kind.resource}`
}

/** Cluster-scoped objects have a name of their own in every run, where names are free. */
const nameOf = (kind: Kind): string =>
  kind.namespaced ? objectName : (names[kind.storage.prefix] ?? `${namespace}-${objectName}`)

/** `<resource>[.<group>]`, of the group in which it is served. */
const servedAs = ({ group, resource }: Kind): string => (group === '' ? resource : `${resource}.${group}`)

/** The object that cases are made of; undefined for kinds that have none. */
function baseOf(kind: Kind): JsonObject | undefined {
  const rest = (values.base === 'fullest' ? fullest : smallest)[servedAs(kind)]
  if (rest === undefined) return undefined
  const text = JSON.stringify({ apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name: nameOf(kind) }, ...rest })
  return JSON.parse(text.replaceAll('$NAMESPACE', namespace)) as JsonObject
}

/** @param versions what is sent as resourceVersion to each server; none where it is left out */
async function both(
  servers: readonly [Endpoint, Endpoint],
  method: string,
  path: string,
  body?: string,
  versions: readonly string[] = [],
) {
  const [ours, theirs] = await Promise.all(servers.map((server, at) => exchange(server, method, path, body, versions[at])))
  if (ours === undefined || theirs === undefined) throw new Error('two servers are needed')
  return { ours, theirs }
}

/** Which version each server is told that the writer has seen: none, that of its own first write, or the one that is there. */
type Versions = readonly string[] | 'current'

/** Where the cases of a verb are sent, and how. */
interface Sending {
  readonly method: string
  readonly path: string
  readonly versions: Versions
}

function sendingOf(kind: Kind, verb: Verb, versions: readonly string[]): Sending {
  const collection = collectionPath(kind)
  if (verb === 'create') return { method: 'POST', path: collection, versions: [] }
  const path = `${collection}/${nameOf(kind)}${verb === 'status' ? '/status' : ''}`
  const isConditional = !rulesOf(kind.storage.prefix).allowUnconditionalUpdate
  if (!isConditional) return { method: 'PUT', path, versions: [] }
  return { method: 'PUT', path, versions: controlled.has(servedAs(kind)) ? 'current' : versions }
}

async function versionsOf(servers: readonly Endpoint[], path: string, versions: Versions): Promise<readonly string[]> {
  if (versions !== 'current') return versions
  return Promise.all(servers.map(async (server) => (await exchange(server, 'GET', path)).version))
}

async function play(
  servers: readonly [Endpoint, Endpoint],
  kind: Kind,
  verb: Verb,
  { method, path, versions }: Sending,
  cases: readonly Case[],
): Promise<Difference[]> {
  const differences: Difference[] = []
  const waiting = cases.values()
  const worker = async (): Promise<void> => {
    for (const { path: field, what, object } of waiting) {
      const sent = field === '.metadata.resourceVersion' ? [] : await versionsOf(servers, path, versions)
      const { ours, theirs } = await both(servers, method, `${path}?dryRun=All`, JSON.stringify(object), sent)
      if (!same(kind, verb, ours, theirs))
        differences.push({ resource: `${servedAs(kind)}/${kind.version}`, verb, path: field, what, ours, theirs })
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return differences
}

function print(difference: Difference): void {
  console.log(`  ${difference.path} = ${difference.what}`)
  console.log(`    ours:   ${JSON.stringify(difference.ours).slice(0, 1500)}`)
  console.log(`    theirs: ${JSON.stringify(difference.theirs).slice(0, 1500)}`)
}

/** Makes the object that updates change. Gives its version on each server. */
async function store(servers: readonly [Endpoint, Endpoint], kind: Kind, base: JsonObject): Promise<string[]> {
  const versions = servers.map(async (server) => {
    for (let attempt = 0; attempt < 100; attempt++) {
      const { status, body, version } = await exchange(server, 'POST', collectionPath(kind), JSON.stringify(base))
      if (status === 201) return version
      // One of an earlier run may be about to go.
      if (status !== 409) throw new Error(`${kind.resource} at ${server.url}: ${JSON.stringify(body)}`)
      await new Promise((done) => setTimeout(done, 100))
    }
    throw new Error(`${kind.resource} at ${server.url}: the name stays taken`)
  })
  return Promise.all(versions)
}

/** Removes the object that updates changed; what holds it is let go. */
async function remove(servers: readonly [Endpoint, Endpoint], kind: Kind): Promise<void> {
  const path = `${collectionPath(kind)}/${nameOf(kind)}`
  await both(servers, 'DELETE', `${path}?gracePeriodSeconds=0`)
  await both(servers, 'PATCH', path, JSON.stringify({ metadata: { finalizers: null } }))
}

async function compare(servers: readonly [Endpoint, Endpoint], kind: Kind, verb: Verb, base: JsonObject): Promise<Difference[]> {
  const versions = verb === 'create' ? [] : await store(servers, kind, base)
  const within = verb === 'status' && values.path === '' ? '.status' : values.path
  const all = casesOf(kind.type, base).filter(({ path }) => path.startsWith(within))
  const cases = sampleOf(all, Number(values.sample), randomFrom(Number(values.seed)))
  const differences = await play(servers, kind, verb, sendingOf(kind, verb, versions), cases)
  if (verb !== 'create') await remove(servers, kind)
  const share = (100 * (cases.length - differences.length)) / Math.max(1, cases.length)
  const equal = cases.length - differences.length
  console.log(`${servedAs(kind)}/${kind.version} ${verb}: ${share.toFixed(1)}% (${equal} of ${cases.length}) equal`)
  if (values.verbose) differences.forEach(print)
  return differences
}

async function accountIsThere(server: Endpoint): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/default`
  for (let attempt = 0; attempt < 100; attempt++) {
    if ((await exchange(server, 'GET', path)).status === 200) return
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error(`no default ServiceAccount at ${server.url}`)
}

async function run(servers: readonly [Endpoint, Endpoint]): Promise<Difference[]> {
  const body = JSON.stringify({ metadata: { name: namespace } })
  await both(servers, 'POST', '/api/v1/namespaces', body)
  await Promise.all(servers.map(accountIsThere))
  const wanted = values.resources.split(',')
  const found: Difference[] = []
  for (const kind of allKinds()) {
    const base = baseOf(kind)
    if (!wanted.includes(servedAs(kind)) || base === undefined) continue
    for (const verb of values.verbs.split(',') as Verb[]) {
      if (verb === 'status' ? !kind.subresources.has('status') : !kind.verbs.has(verb)) continue
      found.push(...(await compare(servers, kind, verb, base)))
    }
  }
  await both(servers, 'DELETE', `/api/v1/namespaces/${namespace}`)
  return found
}

if (values.reference === '') throw new Error('--reference says where kube-apiserver is')
const own = values.server === undefined ? await startServer() : undefined
try {
  const ours = own ?? { url: values.server ?? '', token: values.token }
  const differences = await run([ours, { url: values.reference, token: values['reference-token'] }])
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(differences, null, 1))
} finally {
  own?.stop()
}

/**
 * Sends generated objects to a server of ours and to kube-apiserver, and compares the whole answers:
 *
 *   npm run differential:generated -- --reference URL --reference-token T [--server URL --token T]
 *     [--resources pods,deployments.apps] [--verbs create,update] [--sample N] [--seed N] [--path PREFIX] [--json FILE] [--verbose]
 *
 * A case is one good object with one field broken; nothing of it is kept (dry run), but for the one that updates change.
 * Prints, per resource and verb, the share of equal answers; --verbose prints each difference.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { allKinds } from '../src/catalog/catalogue.ts'
import type { Kind } from '../src/catalog/kind.ts'
import type { JsonObject } from '../src/meta/json-value.ts'
import { type Case, casesOf } from './generated/cases.ts'
import { type Endpoint, type Exchange, exchange } from './generated/exchange.ts'
import { randomFrom, sampleOf } from './generated/random.ts'
import { smallest } from './generated/samples.ts'
import { startServer } from './own-server.ts'

const { values } = parseArgs({
  options: {
    resources: { type: 'string', default: Object.keys(smallest).join(',') },
    verbs: { type: 'string', default: 'create,update' },
    sample: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    path: { type: 'string', default: '' },
    json: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    server: { type: 'string' },
    token: { type: 'string', default: '' },
    reference: { type: 'string', default: '' },
    'reference-token': { type: 'string', default: '' },
  },
})

type Verb = 'create' | 'update'

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
const same = (a: Exchange, b: Exchange): boolean => JSON.stringify(a) === JSON.stringify(b)

function collectionPath(kind: Kind): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
  return kind.namespaced ? `${root}/namespaces/${namespace}/${kind.resource}` : `${root}/${kind.resource}`
}

/** Cluster-scoped objects have a name of their own in every run. */
const nameOf = (kind: Kind): string => (kind.namespaced ? objectName : `${namespace}-${objectName}`)

function baseOf(kind: Kind): JsonObject {
  const rest = smallest[kind.storage.prefix] ?? {}
  return { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name: nameOf(kind) }, ...rest }
}

async function both(servers: readonly [Endpoint, Endpoint], method: string, path: string, body?: string) {
  const [ours, theirs] = await Promise.all(servers.map((server) => exchange(server, method, path, body)))
  if (ours === undefined || theirs === undefined) throw new Error('two servers are needed')
  return { ours, theirs }
}

async function play(
  servers: readonly [Endpoint, Endpoint],
  kind: Kind,
  verb: Verb,
  cases: readonly Case[],
): Promise<Difference[]> {
  const differences: Difference[] = []
  const collection = `${collectionPath(kind)}`
  const [method, path] = verb === 'create' ? ['POST', collection] : ['PUT', `${collection}/${nameOf(kind)}`]
  const waiting = cases.values()
  const worker = async (): Promise<void> => {
    for (const { path: field, what, object } of waiting) {
      const { ours, theirs } = await both(servers, method, `${path}?dryRun=All`, JSON.stringify(object))
      if (!same(ours, theirs)) differences.push({ resource: kind.storage.prefix, verb, path: field, what, ours, theirs })
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

async function compare(servers: readonly [Endpoint, Endpoint], kind: Kind, verb: Verb): Promise<Difference[]> {
  const base = baseOf(kind)
  const at = `${collectionPath(kind)}/${nameOf(kind)}`
  if (verb === 'update') await both(servers, 'POST', collectionPath(kind), JSON.stringify(base))
  const all = casesOf(kind.type, base).filter(({ path }) => path.startsWith(values.path))
  const cases = sampleOf(all, Number(values.sample), randomFrom(Number(values.seed)))
  const differences = await play(servers, kind, verb, cases)
  if (verb === 'update') await both(servers, 'DELETE', `${at}?gracePeriodSeconds=0`)
  const share = (100 * (cases.length - differences.length)) / Math.max(1, cases.length)
  console.log(`${kind.storage.prefix} ${verb}: ${share.toFixed(1)}% of ${cases.length} equal`)
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
    if (!wanted.includes(kind.storage.prefix) || kind.conversion !== undefined) continue
    for (const verb of values.verbs.split(',') as Verb[]) found.push(...(await compare(servers, kind, verb)))
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

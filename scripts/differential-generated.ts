/**
 * Sends generated objects to an Edgeplane server and to kube-apiserver, and compares the whole responses:
 *
 *   npm run differential:generated -- --reference URL --reference-token T [--server URL --token T]
 *     [--resources pods,deployments.apps] [--verbs create,update,status] [--bases smallest,fullest] [--sample N]
 *     [--path PREFIX] [--mixed N] [--seed N] [--json FILE] [--results] [--verbose]
 *
 * A case is a valid object with one broken field or, with --mixed, several. Nothing is stored (dry run), except for the object
 * that updates change. Prints, per resource and verb, the share of equal responses; --verbose prints each difference, --results
 * stores the numbers and writes the page about them. Fails if a difference is not in the ledger, or a difference in the ledger no
 * longer occurs.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Kind } from '../src/catalog/kind.ts'
import { allKinds } from '../src/catalog/scheme.ts'
import type { JsonObject } from '../src/go/json-value.ts'
import { type Case, casesOf, mixedCasesOf } from './generated/cases.ts'
import { both, compare, type Difference, nameOf, type Servers, servedAs, type Verb } from './generated/comparison.ts'
import { type Endpoint, exchange } from './generated/exchange.ts'
import { fullest } from './generated/fullest.ts'
import { heldAgainst } from './generated/ledger.ts'
import { randomFrom, sampleOf } from './generated/random.ts'
import { pageOf, readResults, record, writeResults } from './generated/results.ts'
import { smallest } from './generated/samples.ts'
import { startServer } from './own-server.ts'

const { values } = parseArgs({
  options: {
    resources: { type: 'string', default: Object.keys(smallest).join(',') },
    verbs: { type: 'string', default: 'create,update,status' },
    bases: { type: 'string', default: 'smallest,fullest' },
    sample: { type: 'string', default: '0' },
    mixed: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    path: { type: 'string', default: '' },
    json: { type: 'string' },
    results: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    server: { type: 'string' },
    token: { type: 'string', default: '' },
    reference: { type: 'string', default: '' },
    'reference-token': { type: 'string', default: '' },
  },
})

const root = join(import.meta.dirname, '..')
const ledgerFile = join(root, 'conformance', 'generated-ledger.json')
const resultsFile = join(root, 'conformance', 'generated.jsonl')
const page = join(root, 'docs', 'kinds.md')

const namespace = `generated-${process.pid}`
const bases: Readonly<Record<string, Readonly<Record<string, JsonObject>>>> = { smallest, fullest }
const mixedCount = Number(values.mixed)

/** Returns the object from which cases are made; undefined for kinds without one. */
function baseOf(kind: Kind, base: string): JsonObject | undefined {
  const rest = bases[base]?.[servedAs(kind)]
  if (rest === undefined) return undefined
  const text = JSON.stringify({
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name: nameOf(kind, namespace) },
    ...rest,
  })
  return JSON.parse(text.replaceAll('$NAMESPACE', namespace)) as JsonObject
}

function chosenCases(kind: Kind, verb: Verb, base: JsonObject): Case[] {
  const within = verb === 'status' && values.path === '' ? '.status' : values.path
  const random = randomFrom(Number(values.seed))
  if (mixedCount > 0) return mixedCasesOf(kind.type, base, within, mixedCount, random)
  const all = casesOf(kind.type, base).filter(({ path }) => path.startsWith(within))
  return sampleOf(all, Number(values.sample), random)
}

function print(difference: Difference): void {
  console.log(`  ${difference.path} = ${difference.what}`)
  console.log(`    ours:   ${JSON.stringify(difference.ours).slice(0, 1500)}`)
  console.log(`    theirs: ${JSON.stringify(difference.theirs).slice(0, 1500)}`)
}

const results = readResults(resultsFile)
const compared: string[] = []

async function compareKind(servers: Servers, kind: Kind, verb: Verb, from: string): Promise<Difference[]> {
  const base = baseOf(kind, from)
  if (base === undefined) return []
  const cases = chosenCases(kind, verb, base)
  const differences = await compare(servers, { kind, verb, namespace, base }, cases)
  const tally = { cases: cases.length, equal: cases.length - differences.length }
  const name = `${servedAs(kind)}/${kind.version}`
  const label = mixedCount > 0 ? `${from}, mixed` : from
  console.log(`${name} ${verb} (${label}): ${tally.equal} of ${tally.cases} equal`)
  if (values.verbose) differences.forEach(print)
  record(results, name, verb, mixedCount > 0 ? `${from}, mixed, seed ${values.seed}` : from, tally)
  compared.push(`${name} ${verb}`)
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

/** Saves the differences found so far: a run takes long and may be interrupted. */
function keep(differences: readonly Difference[]): void {
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(differences, null, 1))
  if (!values.results) return
  writeResults(resultsFile, results)
  writeFileSync(page, pageOf(results))
}

async function run(servers: Servers): Promise<Difference[]> {
  await both(servers, 'POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: namespace } }))
  await Promise.all(servers.map(accountIsThere))
  const wanted = values.resources.split(',')
  const found: Difference[] = []
  for (const kind of allKinds()) {
    if (!wanted.includes(servedAs(kind))) continue
    for (const verb of values.verbs.split(',') as Verb[]) {
      if (verb === 'status' ? !kind.subresources.has('status') : !kind.verbs.has(verb)) continue
      for (const from of values.bases.split(',')) found.push(...(await compareKind(servers, kind, verb, from)))
      keep(found)
    }
  }
  await both(servers, 'DELETE', `/api/v1/namespaces/${namespace}`)
  return found
}

/** Prints differences missing from the ledger, and ledger entries that no longer occur. */
function judge(differences: readonly Difference[]): void {
  const isWhole = mixedCount === 0 && values.sample === '0' && values.path === '' && values.bases === 'smallest,fullest'
  const { unknown, gone } = heldAgainst(ledgerFile, differences, isWhole ? compared : [])
  for (const { resource, verb, path, what } of unknown) console.log(`not in the ledger: ${resource} ${verb} ${path} = ${what}`)
  for (const entry of gone) console.log(`gone, and still in the ledger: ${JSON.stringify(entry)}`)
  if (unknown.length + gone.length > 0) process.exitCode = 1
}

if (values.reference === '') throw new Error('--reference says where kube-apiserver is')
const own = values.server === undefined ? await startServer() : undefined
try {
  const ours = own ?? { url: values.server ?? '', token: values.token }
  const differences = await run([ours, { url: values.reference, token: values['reference-token'] }])
  judge(differences)
} finally {
  own?.stop()
}

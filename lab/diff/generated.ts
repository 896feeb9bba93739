/**
 * Sends generated objects to an Edgeplane server and to kube-apiserver, and compares the whole responses.
 *
 * A case is a valid object with one broken field or, mixed, several. Nothing is stored (dry run), except for the object that updates
 * change. Fails if a difference is not in the ledger, or a difference in the ledger no longer occurs.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Kind } from '../../src/catalog/kind.ts'
import { allKinds } from '../../src/catalog/scheme.ts'
import type { JsonObject } from '../../src/go/json-value.ts'
import type { Client } from '../../test/client.ts'
import { command, flag, list, number, text, type Values } from '../command.ts'
import { type Case, casesOf, mixedCasesOf } from '../generated/cases.ts'
import { both, compare, type Difference, nameOf, type Servers, servedAs, type Verb } from '../generated/comparison.ts'
import { exchange } from '../generated/exchange.ts'
import { fullest } from '../generated/fullest.ts'
import { heldAgainst } from '../generated/ledger.ts'
import { randomFrom, sampleOf } from '../generated/random.ts'
import { pageOf, readResults, record, writeResults } from '../generated/results.ts'
import { smallest } from '../generated/samples.ts'
import { root } from '../root.ts'
import { referenceOptions, serverOptions, withBoth } from '../servers.ts'

const choice = {
  resources: list('NAME,…', 'pods,deployments.apps for example; all by default', Object.keys(smallest)),
  verbs: list('VERB,…', 'create,update,status', ['create', 'update', 'status']),
  bases: list('NAME,…', 'smallest,fullest', ['smallest', 'fullest']),
  path: text('PREFIX', 'only the fields below it', ''),
  sample: number('N', 'only so many fields of each kind', 0),
  mixed: number('N', 'so many cases with several broken fields, in place of those with one', 0),
  seed: number('N', 'makes other samples and mixed cases', 1),
  json: text('FILE', 'receives the differences'),
  results: flag('stores the numbers, and writes docs/kinds.md'),
  verbose: flag('prints each difference'),
}

type Chosen = Values<typeof choice>

const ledgerFile = join(root, 'conformance/generated-ledger.json')
const resultsFile = join(root, 'conformance/generated.jsonl')
const page = join(root, 'docs/kinds.md')

const namespace = `generated-${process.pid}`
const bases: Readonly<Record<string, Readonly<Record<string, JsonObject>>>> = { smallest, fullest }

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

function chosenCases({ path: prefix, seed, mixed, sample }: Chosen, kind: Kind, verb: Verb, base: JsonObject): Case[] {
  const within = verb === 'status' && prefix === '' ? '.status' : prefix
  const random = randomFrom(seed)
  if (mixed > 0) return mixedCasesOf(kind.type, base, within, mixed, random)
  const all = casesOf(kind.type, base).filter(({ path }) => path.startsWith(within))
  return sampleOf(all, sample, random)
}

function print(difference: Difference): void {
  console.log(`  ${difference.path} = ${difference.what}`)
  console.log(`    ours:   ${JSON.stringify(difference.ours).slice(0, 1500)}`)
  console.log(`    theirs: ${JSON.stringify(difference.theirs).slice(0, 1500)}`)
}

async function accountIsThere(server: Client): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/default`
  for (let attempt = 0; attempt < 100; attempt++) {
    if ((await exchange(server, 'GET', path)).status === 200) return
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error(`no default ServiceAccount at ${server.url}`)
}

/** A comparison, with what it has found so far. */
class Comparison {
  readonly #values: Chosen
  readonly #servers: Servers
  readonly #results = readResults(resultsFile)
  readonly #compared: string[] = []
  readonly #differences: Difference[] = []

  constructor(values: Chosen, servers: Servers) {
    this.#values = values
    this.#servers = servers
  }

  async run(): Promise<void> {
    const { resources, verbs, bases: wantedBases } = this.#values
    await both(this.#servers, 'POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: namespace } }))
    await Promise.all(this.#servers.map(accountIsThere))
    for (const kind of allKinds()) {
      if (!resources.includes(servedAs(kind))) continue
      for (const verb of verbs as readonly Verb[]) {
        if (verb === 'status' ? !kind.subresources.has('status') : !kind.verbs.has(verb)) continue
        for (const from of wantedBases) await this.#compare(kind, verb, from)
        this.#keep()
      }
    }
    await both(this.#servers, 'DELETE', `/api/v1/namespaces/${namespace}`)
    this.#judge()
  }

  async #compare(kind: Kind, verb: Verb, from: string): Promise<void> {
    const { mixed, seed, verbose } = this.#values
    const base = baseOf(kind, from)
    if (base === undefined) return
    const cases = chosenCases(this.#values, kind, verb, base)
    const differences = await compare(this.#servers, { kind, verb, namespace, base }, cases)
    const tally = { cases: cases.length, equal: cases.length - differences.length }
    const name = `${servedAs(kind)}/${kind.version}`
    console.log(`${name} ${verb} (${mixed > 0 ? `${from}, mixed` : from}): ${tally.equal} of ${tally.cases} equal`)
    if (verbose) differences.forEach(print)
    record(this.#results, name, verb, mixed > 0 ? `${from}, mixed, seed ${seed}` : from, tally)
    this.#compared.push(`${name} ${verb}`)
    this.#differences.push(...differences)
  }

  /** Saves the differences found so far: a run takes long and may be interrupted. */
  #keep(): void {
    const { json, results } = this.#values
    if (json !== undefined) writeFileSync(json, JSON.stringify(this.#differences, null, 1))
    if (!results) return
    writeResults(resultsFile, this.#results)
    writeFileSync(page, pageOf(this.#results))
  }

  /** Prints differences missing from the ledger, and ledger entries that no longer occur. */
  #judge(): void {
    const { mixed, sample, path, bases: wantedBases } = this.#values
    const isWhole = mixed === 0 && sample === 0 && path === '' && wantedBases.length === Object.keys(bases).length
    const { unknown, gone } = heldAgainst(ledgerFile, this.#differences, isWhole ? this.#compared : [])
    for (const each of unknown) console.log(`not in the ledger: ${each.resource} ${each.verb} ${each.path} = ${each.what}`)
    for (const entry of gone) console.log(`gone, and still in the ledger: ${JSON.stringify(entry)}`)
    if (unknown.length + gone.length > 0) process.exitCode = 1
  }
}

export default command({
  options: { ...choice, ...serverOptions, ...referenceOptions },
  run: (values) => withBoth(values, (ours, theirs) => new Comparison(values, [ours, theirs]).run()),
})

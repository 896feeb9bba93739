/**
 * Installs CustomResourceDefinitions in an Edgeplane server and in kube-apiserver, and compares the results: status, discovery,
 * OpenAPI, Tables, and objects generated from their schemas, created and applied. They are deleted afterwards.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { CustomResourceDefinition, DefinitionVersion } from '../../src/crd/definition.ts'
import type { Client, Reply } from '../../test/client.ts'
import { command, flag, text } from '../command.ts'
import { referenceOptions, serverOptions, withBoth } from '../servers.ts'
import { type Extent, sampleOf } from './crds/samples.ts'

const run = promisify(execFile)

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const aggregated = 'application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io'
const extents: readonly Extent[] = ['smallest', 'fullest']

interface Asked {
  readonly method?: string
  readonly accept?: string
  readonly type?: string
  readonly body?: unknown
}

const ask = (server: Client, path: string, { method = 'GET', accept, type, body }: Asked = {}): Promise<Reply> => {
  const headers = { ...(accept !== undefined && { accept }), ...(type !== undefined && { 'content-type': type }) }
  return server.send(path, { method, headers, body })
}

/** Replaces values that differ on every server. */
const normalized = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replace(/"resourceVersion":"\d+"/g, '"resourceVersion":"RV"')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    .replace(/"(\d+m)?\d+s"(?=[\],])/g, '"AGE"')
    .replace(/"manager":"(kube-)?apiserver"/g, '"manager":"SERVER"')

/** Sorts lists whose order is random in the reference. */
function inOrder(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (key, value: unknown) => {
      if (key === 'message' && typeof value === 'string')
        return value
          .replace(/\[|\]/g, '')
          .split(/, | is invalid: /)
          .sort()
      const isByChance = key === 'resources' || ['managedFields', 'causes', 'conditions'].includes(key)
      return isByChance && Array.isArray(value) ? value.map((each) => JSON.stringify(each)).sort() : value
    })
  } catch {
    return text
  }
}

/** Returns the first difference between two texts, with its context. */
function firstDifference(ours: string, theirs: string): string {
  let at = 0
  while (at < ours.length && ours[at] === theirs[at]) at++
  const from = Math.max(0, at - 150)
  return `\n    ours:   …${ours.slice(from, at + 250)}\n    theirs: …${theirs.slice(from, at + 250)}`
}

/** The two servers. */
class Pair {
  readonly ours: Client
  readonly theirs: Client
  readonly #isVerbose: boolean
  equal = 0
  different = 0

  constructor(ours: Client, theirs: Client, isVerbose: boolean) {
    this.ours = ours
    this.theirs = theirs
    this.#isVerbose = isVerbose
  }

  async ask(path: string, request?: Asked): Promise<readonly [Reply, Reply]> {
    return Promise.all([ask(this.ours, path, request), ask(this.theirs, path, request)])
  }

  /** Counts two texts, and prints that they differ. */
  tell(what: string, ours: string, theirs: string): void {
    if (ours === theirs) {
      this.equal++
      return
    }
    this.different++
    console.log(`differs: ${what}${this.#isVerbose ? firstDifference(ours, theirs) : ''}`)
  }

  /** Compares the responses to a request. */
  async compare(what: string, path: string, request?: Asked): Promise<void> {
    const [ours, theirs] = await this.ask(path, request)
    const ordered = (status: number): boolean => status === 422 || what.includes('discovery') || what.endsWith('definition')
    const formatted = ({ status, warnings, text }: Reply): string =>
      `${status} ${warnings.join(', ')} ${ordered(status) ? inOrder(normalized(text)) : normalized(text)}`
    this.tell(what, formatted(ours), formatted(theirs))
  }
}

async function established(endpoint: Client, name: string): Promise<void> {
  for (let i = 0; i < 100; i++) {
    const { text } = await ask(endpoint, `${definitions}/${name}`)
    if (/"type":"Established","status":"True"/.test(text) || /"status":"True"[^}]*"type":"Established"/.test(text)) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function install(pair: Pair, definition: CustomResourceDefinition): Promise<boolean> {
  const name = definition.metadata.name ?? ''
  const [ours, theirs] = await pair.ask(definitions, { method: 'POST', body: definition })
  pair.tell(`${name}: creation`, `${ours.status} ${ours.warnings}`, `${theirs.status} ${theirs.warnings}`)
  if (ours.status !== 201 || theirs.status !== 201) {
    pair.tell(`${name}: refusal`, ours.text, theirs.text)
    return false
  }
  await Promise.all([established(pair.ours, name), established(pair.theirs, name)])
  return true
}

const versionPath = ({ spec }: CustomResourceDefinition, version: DefinitionVersion): string =>
  `/apis/${spec.group}/${version.name}`

function collectionPath(definition: CustomResourceDefinition, version: DefinitionVersion): string {
  const { scope, names } = definition.spec
  return `${versionPath(definition, version)}/${scope === 'Namespaced' ? 'namespaces/default/' : ''}${names.plural}`
}

async function compareSamples(pair: Pair, definition: CustomResourceDefinition, version: DefinitionVersion): Promise<void> {
  const path = collectionPath(definition, version)
  for (const extent of extents) {
    const what = `${definition.metadata.name} ${version.name} ${extent}`
    const object = sampleOf(definition, version, extent, extent)
    const one = `${path}/${extent}`
    await pair.compare(`${what}: create`, path, { method: 'POST', body: object })
    await pair.compare(`${what}: get`, one)
    await pair.compare(`${what}: Table`, path, { accept: table })
    for (const manager of ['first', 'second']) {
      const apply = { method: 'PATCH', type: 'application/apply-patch+yaml', body: object }
      await pair.compare(`${what}: apply by ${manager}`, `${one}?fieldManager=${manager}`, apply)
    }
    const merge = { metadata: { labels: { app: 'merged' } }, status: object.status ?? {} }
    const patch = { method: 'PATCH', type: 'application/merge-patch+json', body: merge }
    if (version.subresources?.status !== undefined) await pair.compare(`${what}: status`, `${one}/status`, patch)
    await pair.compare(`${what}: delete`, one, { method: 'DELETE' })
  }
}

async function compareVersions(pair: Pair, all: readonly CustomResourceDefinition[]): Promise<void> {
  const versions = new Set(
    all.flatMap((each) => each.spec.versions.filter(({ served }) => served).map((v) => versionPath(each, v))),
  )
  for (const path of versions) {
    await pair.compare(`discovery of ${path}`, path)
    await pair.compare(`OpenAPI of ${path}`, `/openapi/v3${path}`)
  }
  for (const group of new Set(all.map(({ spec }) => spec.group))) await pair.compare(`discovery of ${group}`, `/apis/${group}`)
}

/** Returns the items of a list that belong to the installed groups. */
function itemsOfGroups(text: string, groups: ReadonlySet<string>): string {
  const { items } = JSON.parse(text) as { items: { metadata: { name: string } }[] }
  const formatted = items.filter(({ metadata }) => groups.has(metadata.name))
  return normalized(JSON.stringify(formatted.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))))
}

async function compareWhole(pair: Pair, all: readonly CustomResourceDefinition[]): Promise<void> {
  const groups = new Set(all.map(({ spec }) => spec.group))
  const [ours, theirs] = await pair.ask('/apis', { accept: aggregated })
  pair.tell('aggregated discovery', inOrder(itemsOfGroups(ours.text, groups)), inOrder(itemsOfGroups(theirs.text, groups)))
  const [own, reference] = await pair.ask('/openapi/v2')
  type Document = { readonly definitions: Readonly<Record<string, unknown>>; readonly paths: Readonly<Record<string, unknown>> }
  const [a, b] = [own, reference].map(({ text }) => JSON.parse(text) as Document)
  if (a === undefined || b === undefined) return
  for (const part of ['definitions', 'paths'] as const) {
    const prefixes = [...groups].map((group) =>
      part === 'paths' ? `/apis/${group}/` : `${group.split('.').reverse().join('.')}.`,
    )
    const names = Object.keys({ ...a[part], ...b[part] }).filter((name) => prefixes.some((prefix) => name.startsWith(prefix)))
    for (const name of names)
      pair.tell(`OpenAPI v2 of ${name}`, JSON.stringify(a[part][name]) ?? '', JSON.stringify(b[part][name]) ?? '')
  }
}

async function explained(program: string, { url, token }: Client, what: string, apiVersion: string): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'differential-crds-'))
  const args = ['--server', url, '--token', token, '--insecure-skip-tls-verify', '--cache-dir', home, '--kubeconfig', '/dev/null']
  try {
    return (await run(program, [...args, 'explain', what, '--recursive', '--api-version', apiVersion])).stdout
  } catch (error) {
    return String((error as { readonly stderr?: string }).stderr)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function compareExplanations(program: string, pair: Pair, { spec, metadata }: CustomResourceDefinition): Promise<void> {
  for (const { name, served } of spec.versions) {
    if (!served) continue
    const apiVersion = `${spec.group}/${name}`
    const request = [pair.ours, pair.theirs].map((each) => explained(program, each, spec.names.plural, apiVersion))
    const [ours, theirs] = await Promise.all(request)
    pair.tell(`kubectl explain ${metadata.name} ${name}`, ours ?? '', theirs ?? '')
  }
}

async function compareAll(pair: Pair, all: readonly CustomResourceDefinition[], kubectl?: string): Promise<void> {
  const installed: CustomResourceDefinition[] = []
  try {
    for (const definition of all) if (await install(pair, definition)) installed.push(definition)
    for (const { metadata } of installed) await pair.compare(`${metadata.name}: definition`, `${definitions}/${metadata.name}`)
    // The reference publishes definitions in discovery and OpenAPI some seconds after they are established.
    await new Promise((resolve) => setTimeout(resolve, 5000))
    await compareVersions(pair, installed)
    await compareWhole(pair, installed)
    for (const each of installed)
      for (const version of each.spec.versions) if (version.served) await compareSamples(pair, each, version)
    if (kubectl !== undefined) for (const each of installed) await compareExplanations(kubectl, pair, each)
  } finally {
    for (const { metadata } of installed) await pair.ask(`${definitions}/${metadata.name}`, { method: 'DELETE' })
  }
}

const about = `DIR contains one definition in JSON per file. Projects' definitions come with their Go modules:
go mod download -json github.com/cert-manager/cert-manager@latest
prints their folder (Dir), in cert-manager's case with deploy/crds;
kubectl create --dry-run=client -o json -f FILE converts YAML to JSON.`

export default command({
  about,
  operands: 'DIR',
  options: {
    only: text('TEXT', 'only files whose name contains it', ''),
    kubectl: text('PROGRAM', 'compares its explanations too'),
    verbose: flag('prints each difference'),
    ...serverOptions,
    ...referenceOptions,
  },
  run: ({ only, kubectl, verbose, ...values }, [folder = '.']) =>
    withBoth(values, async (ours, theirs) => {
      const all = readdirSync(folder)
        .filter((name) => name.endsWith('.json') && name.includes(only))
        .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as CustomResourceDefinition)
      const pair = new Pair(ours, theirs, verbose)
      await compareAll(pair, all, kubectl)
      console.log(`${pair.equal} equal, ${pair.different} different`)
      process.exitCode = pair.different === 0 ? 0 : 1
    }),
})

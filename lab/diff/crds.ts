/**
 * Installs CustomResourceDefinitions in an Edgeplane server and in kube-apiserver, and compares the results: status, discovery,
 * OpenAPI, Tables, and objects generated from their schemas, created and applied:
 *
 *   npm run differential:crds -- DIR --reference URL --reference-token T [--server URL --token T] [--only TEXT]
 *     [--kubectl PROGRAM] [--verbose]
 *
 * `DIR` contains one definition in JSON per file. Projects' definitions come with their Go modules: `go mod download -json
 * github.com/cert-manager/cert-manager@latest` prints their folder (`Dir`), in cert-manager's case with deploy/crds; `kubectl
 * create --dry-run=client -o json -f FILE` converts YAML to JSON. Definitions installed in the reference are deleted afterwards.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import type { CustomResourceDefinition, DefinitionVersion } from '../src/crd/definition.ts'
import { type Extent, sampleOf } from './crd-samples.ts'
import { startServer } from './own-server.ts'

const run = promisify(execFile)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: '' },
    kubectl: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    server: { type: 'string' },
    token: { type: 'string', default: '' },
    reference: { type: 'string', default: '' },
    'reference-token': { type: 'string', default: '' },
  },
})

interface Endpoint {
  readonly url: string
  readonly token: string
}

interface RequestOptions {
  readonly method?: string
  readonly accept?: string
  readonly type?: string
  readonly body?: unknown
}

interface Answered {
  readonly status: number
  readonly warnings: string
  readonly text: string
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const aggregated = 'application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io'
const extents: readonly Extent[] = ['smallest', 'fullest']

async function ask(
  { url, token }: Endpoint,
  path: string,
  { method = 'GET', accept, type, body }: RequestOptions = {},
): Promise<Answered> {
  const headers = {
    authorization: `Bearer ${token}`,
    accept: accept ?? 'application/json',
    ...(body !== undefined && { 'content-type': type ?? 'application/json' }),
  }
  const sent = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
  // A connection that the server has closed in the meantime is retried on a new one.
  const response = await fetch(url + path, sent).catch(() => fetch(url + path, sent))
  return { status: response.status, warnings: response.headers.get('warning') ?? '', text: await response.text() }
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

let equal = 0
const different: string[] = []

/** Returns the first difference between two texts, with its context. */
function firstDifference(ours: string, theirs: string): string {
  let at = 0
  while (at < ours.length && ours[at] === theirs[at]) at++
  const from = Math.max(0, at - 150)
  return `\n    ours:   …${ours.slice(from, at + 250)}\n    theirs: …${theirs.slice(from, at + 250)}`
}

function compare(what: string, ours: string, theirs: string): void {
  if (ours === theirs) {
    equal++
    return
  }
  different.push(what)
  console.log(`differs: ${what}${values.verbose ? firstDifference(ours, theirs) : ''}`)
}

/** The two servers. */
class Pair {
  readonly ours: Endpoint
  readonly theirs: Endpoint

  constructor(ours: Endpoint, theirs: Endpoint) {
    this.ours = ours
    this.theirs = theirs
  }

  async ask(path: string, request?: RequestOptions): Promise<readonly [Answered, Answered]> {
    return Promise.all([ask(this.ours, path, request), ask(this.theirs, path, request)])
  }

  async compare(what: string, path: string, request?: RequestOptions): Promise<void> {
    const [ours, theirs] = await this.ask(path, request)
    const ordered = (status: number): boolean => status === 422 || what.includes('discovery') || what.endsWith('definition')
    const formatted = ({ status, warnings, text }: Answered): string =>
      `${status} ${warnings} ${ordered(status) ? inOrder(normalized(text)) : normalized(text)}`
    compare(what, formatted(ours), formatted(theirs))
  }
}

async function established(endpoint: Endpoint, name: string): Promise<void> {
  for (let i = 0; i < 100; i++) {
    const { text } = await ask(endpoint, `${definitions}/${name}`)
    if (/"type":"Established","status":"True"/.test(text) || /"status":"True"[^}]*"type":"Established"/.test(text)) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function install(pair: Pair, definition: CustomResourceDefinition): Promise<boolean> {
  const name = definition.metadata.name ?? ''
  const [ours, theirs] = await pair.ask(definitions, { method: 'POST', body: definition })
  compare(`${name}: creation`, `${ours.status} ${ours.warnings}`, `${theirs.status} ${theirs.warnings}`)
  if (ours.status !== 201 || theirs.status !== 201) {
    compare(`${name}: refusal`, ours.text, theirs.text)
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
  compare('aggregated discovery', inOrder(itemsOfGroups(ours.text, groups)), inOrder(itemsOfGroups(theirs.text, groups)))
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
      compare(`OpenAPI v2 of ${name}`, JSON.stringify(a[part][name]) ?? '', JSON.stringify(b[part][name]) ?? '')
  }
}

async function explained(program: string, { url, token }: Endpoint, what: string, apiVersion: string): Promise<string> {
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
    compare(`kubectl explain ${metadata.name} ${name}`, ours ?? '', theirs ?? '')
  }
}

async function compareAll(pair: Pair, all: readonly CustomResourceDefinition[]): Promise<void> {
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
    if (values.kubectl !== undefined) for (const each of installed) await compareExplanations(values.kubectl, pair, each)
  } finally {
    for (const { metadata } of installed) await pair.ask(`${definitions}/${metadata.name}`, { method: 'DELETE' })
  }
}

process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
const [folder = '.'] = positionals
const all = readdirSync(folder)
  .filter((name) => name.endsWith('.json') && name.includes(values.only))
  .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as CustomResourceDefinition)
const own = values.server === undefined ? await startServer() : { url: values.server, token: values.token, stop: () => {} }
await compareAll(new Pair(own, { url: values.reference, token: values['reference-token'] }), all)
own.stop()
console.log(`${equal} equal, ${different.length} different`)
process.exitCode = different.length === 0 ? 0 : 1

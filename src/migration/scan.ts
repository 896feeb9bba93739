/** Reads a cluster for a migration check, by the paths that every kube-apiserver has. */
import { parseJson } from '../go/json.ts'
import { isObject } from '../go/json-object.ts'
import { JsonSyntaxError } from '../go/json-syntax.ts'
import type { JsonObject } from '../go/json-value.ts'
import { documentsIn } from '../yaml/documents.ts'
import { readYamlValue } from '../yaml/parse.ts'
import type { ReportCollector } from './collect.ts'
import { helmSelector, releaseIn } from './helm.ts'
import { apiVersionText, type Removals } from './removals.ts'
import { hasRules } from './rule-uses.ts'
import { memberObject, memberText } from './use.ts'
import { usesInRelease, usesOfObject } from './uses.ts'

/** Reads paths of a cluster. */
export interface ClusterReader {
  /** Sends a GET. Resolves to the code and the text of any response, or to `too long` for one that is not read to its end. */
  get(path: string, accept: string): Promise<{ readonly status: number; readonly text: string } | 'too long'>
  /** The number of resources that are read at a time. */
  readonly width: number
}

/** A resource whose objects can be listed. */
interface ListedResource {
  readonly group: string
  readonly version: string
  /** Plural. */
  readonly name: string
  readonly kind: string
}

interface ApiResources {
  readonly resources?: readonly { readonly name: string; readonly kind: string; readonly verbs: readonly string[] }[]
}

interface ApiGroups {
  readonly groups?: readonly {
    readonly name: string
    readonly versions: readonly { readonly version: string }[]
    readonly preferredVersion: { readonly version: string }
  }[]
}

const json = 'application/json'
const metadataOnly = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'

/** The number of objects in a page of a list, which is divided when a page is too long. */
const pageSize = 500
const divisor = 4

/** Resources whose objects are records of a moment, and are made again by their clients. */
const transient: ReadonlySet<string> = new Set(['events', 'events.events.k8s.io'])

/** Groups of Kubernetes whose objects refer to no others by a version: their metadata is enough, and Secrets are never read. */
const metadataGroups: ReadonlySet<string> = new Set([
  '',
  'apps',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'extensions',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
])

const needsFields = ({ group, kind }: ListedResource): boolean => !metadataGroups.has(group) || hasRules(group, kind)

const pathOf = (group: string, version: string): string => (group === '' ? `/api/${version}` : `/apis/${group}/${version}`)

const textOf = ({ group, name }: ListedResource): string => (group === '' ? name : `${name}.${group}`)

/** Returns the message of a Status, or the beginning of another text. */
function messageOf(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    if (typeof message === 'string') return message
  } catch {
    // Not a Status.
  }
  return text.slice(0, 200)
}

/** Reads a document of the discovery; undefined if that is not possible. @param what its name in the report */
async function discover<T>(
  reader: ClusterReader,
  collector: ReportCollector,
  path: string,
  what: string,
): Promise<T | undefined> {
  const response = await reader.get(path, json)
  if (response !== 'too long' && response.status === 200) return JSON.parse(response.text) as T
  collector.addUnread(what, response === 'too long' ? response : messageOf(response.text))
  return undefined
}

/** Returns the group versions of a cluster, those that it prefers first. */
async function groupVersions(reader: ClusterReader, collector: ReportCollector): Promise<(readonly [string, string])[]> {
  const { groups = [] } = (await discover<ApiGroups>(reader, collector, '/apis', '/apis')) ?? {}
  const named = groups.flatMap(({ name, versions, preferredVersion }) => {
    const others = versions.map(({ version }) => version).filter((version) => version !== preferredVersion.version)
    return [preferredVersion.version, ...others].map((version) => [name, version] as const)
  })
  return [['', 'v1'], ...named]
}

/**
 * Returns the resources of a cluster, each in one version: the first that the later release serves, or else the first.
 * Groups that share their objects, such as extensions and networking.k8s.io, are read once.
 */
async function resourcesOf(reader: ClusterReader, collector: ReportCollector): Promise<ListedResource[]> {
  const { removals } = collector
  const listed = new Map<string, ListedResource>()
  for (const [group, version] of await groupVersions(reader, collector)) {
    const found = await discover<ApiResources>(reader, collector, pathOf(group, version), apiVersionText({ group, version }))
    for (const { name, kind, verbs } of found?.resources ?? []) {
      if (name.includes('/') || !verbs.includes('list')) continue
      const resource = { group, version, name, kind }
      const known = listed.get(textOf(resource))
      if (known === undefined || (isRemoved(known, removals) && !isRemoved(resource, removals))) {
        listed.set(textOf(resource), resource)
      }
    }
  }
  return [...listed.values()].filter((resource) => {
    if (transient.has(textOf(resource))) return false
    const replacement = removals.ofResource(resource.group, resource.version, resource.name)?.replacement
    const other = replacement && textOf({ ...replacement, name: replacement.resource })
    return other === undefined || other === textOf(resource) || !listed.has(other)
  })
}

const isRemoved = ({ group, version, name }: ListedResource, removals: Removals): boolean =>
  removals.ofResource(group, version, name) !== undefined

/** Annotations by which a server keeps its own roles and flow schemas up to date, with its own releases. */
const autoUpdates = ['rbac.authorization.kubernetes.io/autoupdate', 'apf.kubernetes.io/autoupdate-spec']

/** Whether the server itself keeps an object up to date. */
function isOfServer(object: JsonObject): boolean {
  const annotations = memberObject(memberObject(object, 'metadata') ?? {}, 'annotations')
  return autoUpdates.some((name) => memberText(annotations, name) === 'true')
}

/** A list to read. */
interface ListRequest {
  readonly path: string
  /** The name in the report if it cannot be read. */
  readonly what: string
  readonly accept: string
  /** Begins with `&`, or is empty. */
  readonly query: string
  /** The number of objects of a page. */
  readonly limit: number
}

interface Page {
  readonly metadata?: { readonly continue?: string }
  readonly items?: readonly JsonObject[] | null
}

/** Parses a page, with the digits of large numbers, unless it nests too deep for that. */
function pageOf(text: string): Page {
  try {
    return parseJson(text) as unknown as Page
  } catch (error) {
    if (error instanceof JsonSyntaxError) return JSON.parse(text) as Page
    throw error
  }
}

const nameOf = (object: JsonObject): string => {
  const metadata = memberObject(object, 'metadata')
  return [memberText(metadata, 'namespace'), memberText(metadata, 'name')].filter((part) => part !== '').join('/')
}

/** Calls a function for each object of a list, page by page. An object that it throws for is named in the report. */
async function eachObject(
  reader: ClusterReader,
  collector: ReportCollector,
  { path, what, accept, query, ...first }: ListRequest,
  use: (object: JsonObject) => Promise<void> | void,
): Promise<void> {
  let limit = first.limit
  for (let token: string | undefined = ''; token !== undefined; ) {
    const next = token === '' ? '' : `&continue=${encodeURIComponent(token)}`
    const response = await reader.get(`${path}?limit=${limit}${query}${next}`, accept)
    if (response === 'too long' && limit > 1) {
      limit = Math.ceil(limit / divisor)
      continue
    }
    if (response === 'too long' || response.status !== 200) {
      collector.addUnread(what, response === 'too long' ? response : messageOf(response.text))
      return
    }
    const { items, metadata } = pageOf(response.text)
    for (const item of items ?? []) {
      try {
        await use(item)
      } catch (error) {
        collector.addUnread(`${what} ${nameOf(item)}`, error instanceof Error ? error.message : String(error))
      }
    }
    token = metadata?.continue || undefined
  }
}

/** Reads the objects of a resource. */
function scanResource(reader: ClusterReader, collector: ReportCollector, resource: ListedResource): Promise<void> {
  const { group, version, name, kind } = resource
  const request = {
    path: `${pathOf(group, version)}/${name}`,
    what: textOf(resource),
    accept: needsFields(resource) ? json : metadataOnly,
    query: '',
    limit: pageSize,
  }
  const apiVersion = apiVersionText({ group, version })
  return eachObject(reader, collector, request, (item) => {
    if (isOfServer(item)) return
    const object: JsonObject = { ...item, apiVersion, kind }
    collector.add(object, { resource: name }, usesOfObject(object, collector.removals))
  })
}

/** Checks the manifests of a Helm release, which the next upgrade of the release reads. */
async function checkRelease(secret: JsonObject, collector: ReportCollector): Promise<void> {
  const { name, manifests } = await releaseIn(secret)
  const uses = documentsIn(manifests).flatMap((document) => {
    const manifest = readYamlValue(document)
    return isObject(manifest) ? usesInRelease(manifest, name, collector.removals) : []
  })
  collector.add({ ...secret, apiVersion: 'v1', kind: 'Secret' }, { resource: 'secrets' }, uses)
}

/** Reads the Helm releases that are installed. */
async function scanReleases(reader: ClusterReader, collector: ReportCollector): Promise<void> {
  const selector = `labelSelector=${encodeURIComponent(helmSelector)}`
  const request = { path: '/api/v1/secrets', what: 'Helm release', accept: json, query: `&${selector}`, limit: 10 }
  await eachObject(reader, collector, request, (secret) => checkRelease(secret, collector))
}

/** Reads all objects of a cluster to a report. Resources that cannot be read are named in it. */
export async function scanCluster(reader: ClusterReader, collector: ReportCollector): Promise<void> {
  const resources = await resourcesOf(reader, collector)
  const next = resources.values()
  const worker = async (): Promise<void> => {
    for (const resource of next) await scanResource(reader, collector, resource)
  }
  await Promise.all(Array.from({ length: reader.width }, worker))
  if (resources.some((resource) => textOf(resource) === 'secrets')) await scanReleases(reader, collector)
}

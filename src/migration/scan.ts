/** Reads a cluster for a migration check, by the paths that every kube-apiserver has. */
import { isObject } from '../go/json-object.ts'
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
  /** Sends a GET. Resolves to the code and the text of any response. */
  get(path: string, accept: string): Promise<{ readonly status: number; readonly text: string }>
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

/** The number of objects in a page of a list. */
const pageSize = 500

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

/** Returns the group versions of a cluster, those that it prefers first. */
async function groupVersions(reader: ClusterReader, collector: ReportCollector): Promise<(readonly [string, string])[]> {
  const { status, text } = await reader.get('/apis', json)
  if (status !== 200) {
    collector.addUnread('/apis', messageOf(text))
    return [['', 'v1']]
  }
  const { groups = [] } = JSON.parse(text) as ApiGroups
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
  const found = new Map<string, ListedResource>()
  for (const [group, version] of await groupVersions(reader, collector)) {
    const { status, text } = await reader.get(pathOf(group, version), json)
    if (status !== 200) {
      collector.addUnread(apiVersionText({ group, version }), messageOf(text))
      continue
    }
    for (const { name, kind, verbs } of (JSON.parse(text) as ApiResources).resources ?? []) {
      if (name.includes('/') || !verbs.includes('list')) continue
      const resource = { group, version, name, kind }
      const known = found.get(textOf(resource))
      if (known === undefined || (isRemoved(known, removals) && !isRemoved(resource, removals))) {
        found.set(textOf(resource), resource)
      }
    }
  }
  return [...found.values()].filter((resource) => {
    if (transient.has(textOf(resource))) return false
    const replacement = removals.ofResource(resource.group, resource.version, resource.name)?.replacement
    const other = replacement && textOf({ ...replacement, name: replacement.resource })
    return other === undefined || other === textOf(resource) || !found.has(other)
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
  readonly query: string
}

/** Calls a function for each object of a list, page by page. */
async function eachObject(
  reader: ClusterReader,
  collector: ReportCollector,
  { path, what, accept, query }: ListRequest,
  use: (object: JsonObject) => Promise<void> | void,
): Promise<void> {
  let token = ''
  do {
    const next = token === '' ? '' : `&continue=${encodeURIComponent(token)}`
    const { status, text } = await reader.get(`${path}?${query}${next}`, accept)
    if (status !== 200) {
      collector.addUnread(what, messageOf(text))
      return
    }
    const page = JSON.parse(text) as { metadata?: { continue?: string }; items?: JsonObject[] | null }
    for (const item of page.items ?? []) await use(item)
    token = page.metadata?.continue ?? ''
  } while (token !== '')
}

/** Reads the objects of a resource. */
function scanResource(reader: ClusterReader, collector: ReportCollector, resource: ListedResource): Promise<void> {
  const { group, version, name, kind } = resource
  const request = {
    path: `${pathOf(group, version)}/${name}`,
    what: textOf(resource),
    accept: needsFields(resource) ? json : metadataOnly,
    query: `limit=${pageSize}`,
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
  await eachObject(
    reader,
    collector,
    { path: `/api/v1/secrets`, what: 'Helm releases', accept: json, query: `${selector}&limit=10` },
    async (secret) => {
      try {
        await checkRelease(secret, collector)
      } catch (error) {
        const metadata = memberObject(secret, 'metadata')
        const why = error instanceof Error ? error.message : String(error)
        collector.addUnread(`Helm release ${memberText(metadata, 'namespace')}/${memberText(metadata, 'name')}`, why)
      }
    },
  )
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

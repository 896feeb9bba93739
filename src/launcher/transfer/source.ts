/** Reads all objects of an API server that a person would keep. */
import { isDeploymentObject } from '../../clusters/deployment-objects.ts'
import type { Api } from '../api.ts'
import { forEach } from '../parallel.ts'
import { parseExact } from './exact-json.ts'
import { isDerivedResource, isOfServer, type Manifest } from './manifest.ts'

/** A resource as discovery tells it. */
export interface Resource {
  readonly group: string
  readonly version: string
  /** Plural. */
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
}

interface ResourceList {
  readonly resources: readonly {
    readonly name: string
    readonly kind: string
    readonly namespaced: boolean
    readonly verbs: readonly string[]
  }[]
}

interface GroupList {
  readonly groups: readonly { readonly name: string; readonly preferredVersion: { readonly version: string } }[]
}

/** The number of objects in a page of a list. */
const pageSize = 500

/** Returns `<resource>[.<group>]`. */
export const resourceText = ({ group, name }: Pick<Resource, 'group' | 'name'>): string =>
  group === '' ? name : `${name}.${group}`

/** Returns the path of a group version. */
export const groupPath = (group: string, version: string): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`

/** Returns all resources with objects that can be listed and created, each in the version that the server prefers. */
export async function resourcesOf(api: Api): Promise<readonly Resource[]> {
  const { groups } = await api.json<GroupList>('/apis')
  const versions = [['', 'v1'] as const, ...groups.map(({ name, preferredVersion }) => [name, preferredVersion.version] as const)]
  const found: Resource[] = []
  await forEach(versions, async ([group, version]) => {
    // The server of an aggregated API may be away; its objects are not in this cluster.
    const { status, text } = await api.send({ method: 'GET', path: groupPath(group, version) }, [404, 503])
    if (status !== 200) return
    for (const { name, kind, namespaced, verbs } of (JSON.parse(text) as ResourceList).resources) {
      if (name.includes('/') || !verbs.includes('list') || !verbs.includes('create')) continue
      found.push({ group, version, name, kind, namespaced })
    }
  })
  return found.toSorted((one, other) => (resourceText(one) < resourceText(other) ? -1 : 1))
}

/** Yields the objects of a resource, page by page. */
async function* listed(api: Api, { group, version, name, kind }: Resource): AsyncGenerator<Manifest> {
  let token = ''
  do {
    const query = `limit=${pageSize}${token === '' ? '' : `&continue=${encodeURIComponent(token)}`}`
    const { text } = await api.send({ method: 'GET', path: `${groupPath(group, version)}/${name}?${query}` })
    const page = parseExact(text) as { metadata: { continue?: string }; items: Manifest[] | null }
    for (const item of page.items ?? []) {
      yield { ...item, apiVersion: group === '' ? version : `${group}/${version}`, kind }
    }
    token = page.metadata.continue ?? ''
  } while (token !== '')
}

/** A choice of objects. */
export interface Selection {
  readonly secrets: boolean
}

/**
 * Returns all objects, as the server stores them, except those that every server makes by itself, credentials of the cluster, and
 * objects of the deployment alone.
 */
export async function objectsOf(api: Api, { secrets }: Selection): Promise<readonly Manifest[]> {
  const resources = (await resourcesOf(api)).filter((resource) => {
    const text = resourceText(resource)
    return !isDerivedResource(text) && (secrets || text !== 'secrets')
  })
  const found: (readonly Manifest[])[] = resources.map(() => [])
  await forEach([...resources.entries()], async ([index, resource]) => {
    const objects: Manifest[] = []
    for await (const object of listed(api, resource)) {
      if (!isOfServer(object) && !isDeploymentObject(object)) objects.push(object)
    }
    found[index] = objects
  })
  return found.flat()
}

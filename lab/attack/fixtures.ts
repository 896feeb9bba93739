/** Prepares a server for a run, and deletes created objects so that its state stays limited. */
import type { JsonObject } from '../../src/go/json-value.ts'
import type { Client } from '../../test/client.ts'
import { exchange } from '../generated/exchange.ts'
import { isDefinition, recordedTemplates } from './corpus.ts'
import { type Lane, replaced } from './lane.ts'

interface Listed {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly finalizers?: readonly string[] }
}

/** A served resource with its path. */
interface Served {
  readonly root: string
  readonly resource: string
  readonly isNamespaced: boolean
}

/** The paths of the objects that existed before the first request. */
export type Initial = ReadonlySet<string>

/** The maximum number of objects of a resource that are left during a run. */
export const bearable = 200

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Creates the lanes' namespaces and the custom resource definitions of the recorded requests. */
export async function prepare(server: Client, lanes: readonly Lane[]): Promise<Initial> {
  const [anyLane] = lanes
  if (anyLane === undefined) throw new Error('a run has at least one lane')
  for (const { body, target, chance } of recordedTemplates().filter(isDefinition)) {
    const json = body !== undefined && 'json' in body ? replaced(body.json, anyLane, chance) : ''
    // Definitions with a webhook that does not exist are skipped.
    if (!target.includes('?') && !json.includes('"Webhook"')) await exchange(server, 'POST', definitions, json)
  }
  await makeNamespaces(server, lanes)
  return new Set((await everything(server)).keys())
}

/** Creates the lanes' namespaces, if they do not exist. */
export const makeNamespaces = (server: Client, lanes: readonly Lane[]): Promise<unknown> =>
  Promise.all(
    lanes.map(({ namespace }) =>
      exchange(server, 'POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: namespace } })),
    ),
  )

interface ResourceList {
  readonly resources?: readonly { readonly name: string; readonly namespaced: boolean; readonly verbs: readonly string[] }[]
}

interface GroupList {
  readonly groups?: readonly { readonly preferredVersion: { readonly groupVersion: string } }[]
}

async function servedResources(server: Client): Promise<Served[]> {
  const { groups = [] } = (await exchange(server, 'GET', '/apis')).body as GroupList
  const roots = ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)]
  const lists = await Promise.all(
    roots.map(async (root) => {
      const { resources = [] } = (await exchange(server, 'GET', root)).body as ResourceList
      const listed = resources.filter(({ verbs }) => verbs.includes('list') && verbs.includes('delete'))
      return listed.map(({ name, namespaced }): Served => ({ root, resource: name, isNamespaced: namespaced }))
    }),
  )
  return lists.flat()
}

async function objectsOf(server: Client, { root, resource, isNamespaced }: Served): Promise<[string, Listed][]> {
  const { items = [] } = (await exchange(server, 'GET', `${root}/${resource}`)).body as { readonly items?: readonly Listed[] }
  return items.map((item) => {
    const { name, namespace = '' } = item.metadata
    const place = isNamespaced ? `${root}/namespaces/${encodeURIComponent(namespace)}` : root
    return [`${place}/${resource}/${encodeURIComponent(name)}`, item]
  })
}

async function everything(server: Client): Promise<Map<string, Listed>> {
  const all = new Map<string, Listed>()
  for (const served of await servedResources(server)) {
    for (const [path, object] of await objectsOf(server, served)) all.set(path, object)
  }
  return all
}

const withoutFinalizers: JsonObject = { metadata: { finalizers: null } }

async function remove(server: Client, [path, { metadata }]: readonly [string, Listed]): Promise<void> {
  if (metadata.finalizers !== undefined) await exchange(server, 'PATCH', path, JSON.stringify(withoutFinalizers))
  await exchange(server, 'DELETE', `${path}?gracePeriodSeconds=0`)
}

/** Deletes new objects of each resource that has more than `most` of them. */
export async function sweep(server: Client, initial: Initial, most: number): Promise<void> {
  for (const served of await servedResources(server)) {
    const added = (await objectsOf(server, served)).filter(([path]) => !initial.has(path))
    if (added.length > most) await Promise.all(added.map((entry) => remove(server, entry)))
  }
}

/**
 * The administrator of a named cluster as an attacker: the paths of backups, with lines of archives that would lead out of the
 * cluster, and the addresses of other clusters.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../test/client.ts'
import { exchange } from '../generated/exchange.ts'
import { root } from '../root.ts'
import type { Template } from './corpus.ts'

/** The clusters of a run. */
export const attackers = 'attackers'
const victims = 'victims'

/** The variable in a header that becomes the token of the attackers when the request is sent. */
export const tenantVariable = '$TENANT'

/** The definition of clusters, whose descriptions name internals on purpose: they would look like leaks. */
const manifest = JSON.stringify(
  JSON.parse(readFileSync(join(root, 'manifests/clusters.json'), 'utf8'), (key, value: unknown) =>
    key === 'description' && typeof value === 'string' ? undefined : value,
  ),
)
const clusters = '/apis/edgeplane.dev/v1/clusters'

/** Makes the clusters of a run. Returns the attackers' token. */
export async function makeTenants(server: Client): Promise<string> {
  await exchange(server, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', manifest)
  for (const name of [attackers, victims]) {
    await exchange(
      server,
      'POST',
      clusters,
      JSON.stringify({ apiVersion: 'edgeplane.dev/v1', kind: 'Cluster', metadata: { name } }),
    )
  }
  const secret = await exchange(server, 'GET', `/api/v1/namespaces/edgeplane-clusters/secrets/${attackers}-kubeconfig`)
  const { data = {} } = secret.body as { readonly data?: Readonly<Record<string, string>> }
  return Buffer.from(data.token ?? '', 'base64').toString()
}

const version = 1_000_000_000_000

/** Lines of an archive, each an object of JSON. */
const lines: readonly object[] = [
  { key: 'fork', value: { parent: victims, uid: 'x', time: 1, placement: 'one-object', collections: [] } },
  { key: 'cluster/terms', value: {} },
  { key: `outbox/cluster/${victims}`, value: true },
  { key: 'storage-versions/lamps.example.com', value: [{ version: 'v1', through: 7 }] },
  { key: 'token-keys', value: [], signature: '1.AAAA' },
  { table: 'deletions', row: ['u', `collection ${victims}//configmaps`, 'secrets/default/db', 'gone', 0, 0] },
  ...['configmaps/default/a', `clusters.edgeplane.dev/${victims}`, 'secrets/edgeplane-clusters/a', 'lamps.example.com/a'].map(
    (object) => {
      const [, first, name] = object.split('/')
      const metadata = {
        name: name ?? first,
        ...(name !== undefined && { namespace: first }),
        uid: 'u',
        resourceVersion: String(version),
      }
      return { object, version, labels: '', value: JSON.stringify({ metadata }) }
    },
  ),
]

const finish = { id: 'attack', objects: [{ name: `${victims}/control`, objects: 1, atLeast: 0 }] }

const steps: readonly (readonly [step: string, bodies: readonly object[]])[] = [
  ['lines', lines],
  ['finish', [finish]],
  ['state', [{}]],
  ['hold', [[`${victims}//secrets`]]],
  ['recover', [{ at: 1 }]],
  ['raise', [{ atLeast: 1 }]],
]

const objects = [`${attackers}/control`, `${attackers}//secrets`, `${victims}/control`, 'default/control']

/** Returns the requests of the attackers before they are broken. */
export function tenantTemplates(): readonly Template[] {
  const headers = [['authorization', `Bearer ${tenantVariable}`]] as const
  const make = (method: string, target: string, json?: string): Template => {
    return { method, target, headers, body: json === undefined ? undefined : { json }, chance: undefined }
  }
  const administration = steps.flatMap(([step, bodies]) =>
    objects.flatMap((object) =>
      bodies.map((body) => {
        const query = new URLSearchParams({ object, id: 'attack' })
        return make('POST', `/clusters/${attackers}/edgeplane/v1/${step}?${query}`, JSON.stringify(body))
      }),
    ),
  )
  const foreign = [attackers, victims, 'default', `${victims}@-1m`].flatMap((cluster) =>
    ['/api/v1/secrets', '/api/v1/namespaces/default/configmaps', '/edgeplane/v1/backup', clusters].map((path) =>
      make('GET', `/clusters/${cluster}${path}`),
    ),
  )
  return [...administration, ...foreign]
}

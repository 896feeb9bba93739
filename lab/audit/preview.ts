/** The steps of a preview of an application for a pull request. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../root.ts'
import { Client, inParallel, type OpenWatch } from './client.ts'
import { manifests } from './manifests.ts'
import type { AuditedServer } from './server.ts'
import { Recorder, type Step } from './step.ts'

/** The documents that kubectl reads before it applies manifests. */
const discovery = [
  ...['/api', '/apis', '/openapi/v3', '/openapi/v3/api/v1', '/openapi/v3/apis/apps/v1'],
  '/openapi/v3/apis/rbac.authorization.k8s.io/v1',
]

const core = '/api/v1/namespaces/preview'
const watched = [
  ...['configmaps', 'services', 'pods'].map((resource) => `${core}/${resource}`),
  '/apis/apps/v1/namespaces/preview/deployments',
  '/apis/example.com/v1/namespaces/preview/lamps',
]

/** The reads of the tests of an application. */
const reads = Array.from({ length: 20 }, (_, index) =>
  index % 2 === 0 ? `${core}/configmaps/configmaps-${index % 10}` : (watched[index % watched.length] ?? core),
)

const clusters = '/apis/edgeplane.dev/v1/clusters'
const name = 'preview'
/** The seconds for which watches may be open before and after their measurement. */
const slack = 30
/** The seconds within which all work that follows from requests has ended: an alarm reminds of unfinished work after a minute. */
const rest = 70

/** Creates the cluster of the preview, and returns a client of its administrator. */
async function createCluster(server: AuditedServer): Promise<Client> {
  const administrator = new Client(server)
  await administrator.create(clusters, { apiVersion: 'edgeplane.dev/v1', kind: 'Cluster', metadata: { name } })
  const secret = await administrator.send<{ data: { token: string } }>(
    `/api/v1/namespaces/edgeplane-clusters/secrets/${name}-kubeconfig`,
  )
  return new Client(server, `/clusters/${name}`, Buffer.from(secret.data.token, 'base64').toString())
}

/** Applies the manifests, reads, and opens watches. */
async function use(client: Client, watchSeconds: number): Promise<readonly OpenWatch[]> {
  await inParallel(discovery.length, 1, (index) => client.read(discovery[index] ?? ''))
  for (const { path, body } of manifests) {
    // kubectl looks for the object before it creates it.
    await client.read(`${path}/${body.metadata.name}`)
    await client.create(path, body)
  }
  await inParallel(reads.length, 2, (index) => client.send(reads[index] ?? ''))
  const watches: OpenWatch[] = []
  for (const path of watched) {
    const { metadata } = await client.send(path)
    watches.push(await client.watch(path, metadata.resourceVersion ?? '', watchSeconds))
  }
  return watches
}

/**
 * Measures a preview, which is a named cluster, on a server without data.
 * @param seconds how long its watches are measured
 */
export async function measurePreview(server: AuditedServer, seconds: number): Promise<readonly Step[]> {
  const administrator = new Client(server)
  await administrator.send('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    method: 'POST',
    body: readFileSync(join(root, 'manifests/clusters.json'), 'utf8'),
    contentType: 'application/json',
  })
  const recorder = new Recorder(server)
  let watches: readonly OpenWatch[] = []
  await recorder.measure('preview', 1, async () => {
    watches = await use(await createCluster(server), seconds + slack)
  })
  await recorder.measureWhile('second of a watch of a preview', watches.length * seconds, seconds)
  await Promise.all(watches.map(({ ended }) => ended))
  await recorder.measureWhile('rest of a preview', 1, rest)
  await recorder.measure('end of a preview', 1, () => administrator.send(`${clusters}/${name}`, { method: 'DELETE' }))
  return recorder.steps
}

/** Named clusters and forks for tests. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect } from 'vitest'
import type { Reply, RequestOptions } from './client.ts'
import type { TestServer } from './server.ts'

const definition = readFileSync(resolve(import.meta.dirname, '../manifests/clusters.json'), 'utf8')
const clusters = '/apis/edgeplane.dev/v1/clusters'

export interface Listed {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string }
  readonly items: readonly {
    readonly metadata: {
      readonly name: string
      readonly namespace?: string
      readonly uid: string
      readonly resourceVersion: string
    }
    readonly data?: Readonly<Record<string, string>>
  }[]
}

/** The status of a Cluster. */
export interface ClusterStatus {
  readonly phase: string
  readonly message?: string
  readonly placement?: string
  readonly forkedFrom?: { readonly name: string; readonly time: string }
}

/** A named cluster, as its administrator sees it. */
export interface TestCluster {
  readonly name: string
  readonly path: string
  readonly token: string
  send(path: string, options?: RequestOptions): Promise<Reply>
  list(path: string): Promise<Listed>
}

/** Lets a server have named clusters. */
export async function enableClusters(server: TestServer): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const made = await server.send(path, { method: 'POST', body: definition })
  expect(made.status, made.text).toBe(201)
}

/** Creates a Cluster. Returns its status. */
export async function createCluster(server: TestServer, name: string, spec: object = {}): Promise<ClusterStatus> {
  const body = { apiVersion: 'edgeplane.dev/v1', kind: 'Cluster', metadata: { name }, spec }
  const made = await server.send(clusters, { method: 'POST', body })
  expect(made.status, made.text).toBe(201)
  return (await server.send(`${clusters}/${name}`)).json<{ status: ClusterStatus }>().status
}

/** Returns an existing cluster. */
export async function openCluster(server: TestServer, name: string): Promise<TestCluster> {
  const secret = await server.send(`/api/v1/namespaces/edgeplane-clusters/secrets/${name}-kubeconfig`)
  const token = Buffer.from(secret.json<{ data: { token: string } }>().data.token, 'base64').toString()
  const path = `/clusters/${name}`
  const send: TestCluster['send'] = (at, options) => server.send(path + at, { token, ...options })
  const list = async (at: string): Promise<Listed> => {
    const reply = await send(at)
    expect(reply.status, reply.text).toBe(200)
    return reply.json<Listed>()
  }
  return { name, path, token, send, list }
}

/** Makes a cluster that is ready. */
export async function makeCluster(server: TestServer, name: string, spec: object = {}): Promise<TestCluster> {
  expect(await createCluster(server, name, spec)).toMatchObject({ phase: 'Ready' })
  return openCluster(server, name)
}

/** Deletes a Cluster. */
export async function deleteCluster(server: TestServer, name: string): Promise<void> {
  expect((await server.send(`${clusters}/${name}`, { method: 'DELETE' })).status).toBe(200)
}

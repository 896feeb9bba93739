/** A server with the definition of clusters, and the calls that tests of clusters share. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect } from 'vitest'
import type { Reply, RequestOptions } from '../client.ts'
import { startServer, type TestServer } from '../server.ts'

const manifest = readFileSync(resolve(import.meta.dirname, '../../manifests/clusters.json'), 'utf8')

/** The paths of the collections of the default cluster that tests use. */
export const clustersPath = '/apis/edgeplane.dev/v1/clusters'
const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const mergePatch = { 'content-type': 'application/merge-patch+json' }

/** The status of a Cluster object. */
export interface ClusterStatus {
  readonly phase: string
  readonly url: string
  readonly message?: string
  readonly objects: number
  readonly bytes: number
  readonly expiresAt?: string
}

/** A server that makes clusters. */
export interface ClusterServer extends TestServer {
  /** Sends the creation of a Cluster object. */
  create(name: string, spec?: object): Promise<Reply>
  /** Makes a cluster. Returns its administrator's token. */
  make(name: string, spec?: object): Promise<string>
  /** Returns the kubeconfig in the Secret of a cluster. */
  kubeconfigOf(name: string): Promise<string>
  patch(name: string, spec: object): Promise<Reply>
  remove(name: string): Promise<void>
  status(name: string): Promise<ClusterStatus>
  /** Sends a request to a cluster, with its path. */
  inside(name: string, path: string, options: RequestOptions): Promise<Reply>
}

/** Starts a server and enables clusters. @param options of `edgeplane start` */
export async function startClusterServer(options: readonly string[] = []): Promise<ClusterServer> {
  const server = await startServer({ args: options })
  const defined = await server.send(definitionsPath, {
    method: 'POST',
    body: manifest,
    headers: { 'content-type': 'application/json' },
  })
  expect(defined.status, defined.text).toBe(201)
  const create = (name: string, spec = {}): Promise<Reply> =>
    server.send(clustersPath, {
      method: 'POST',
      body: { apiVersion: 'edgeplane.dev/v1', kind: 'Cluster', metadata: { name }, spec },
    })
  const secretOf = async (name: string, key: string): Promise<string> => {
    const secret = await server.send(`/api/v1/namespaces/edgeplane-clusters/secrets/${name}-kubeconfig`)
    return Buffer.from(secret.json<{ data: Record<string, string> }>().data[key] ?? '', 'base64').toString()
  }
  return Object.assign(server, {
    create,
    make: async (name: string, spec = {}) => {
      const made = await create(name, spec)
      expect(made.status, made.text).toBe(201)
      return secretOf(name, 'token')
    },
    kubeconfigOf: (name: string) => secretOf(name, 'kubeconfig'),
    patch: (name: string, spec: object) =>
      server.send(`${clustersPath}/${name}`, { method: 'PATCH', body: { spec }, headers: mergePatch }),
    remove: async (name: string) => {
      const { status, text } = await server.send(`${clustersPath}/${name}`, { method: 'DELETE' })
      expect(status, text).toBe(200)
    },
    status: async (name: string) => (await server.send(`${clustersPath}/${name}`)).json<{ status: ClusterStatus }>().status,
    inside: (name: string, path: string, options: RequestOptions) => server.send(`/clusters/${name}${path}`, options),
  })
}

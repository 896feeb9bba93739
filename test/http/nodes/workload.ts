/** Nodes and Pods whose addresses are on this machine. */
import { expect } from 'vitest'
import type { TestServer } from '../../server.ts'

/** The Pods of the default namespace. */
export const pods = '/api/v1/namespaces/default/pods'

const merge = { 'content-type': 'application/merge-patch+json' }

/** Makes an object. */
export async function make(server: TestServer, path: string, body: object): Promise<void> {
  expect((await server.send(path, { method: 'POST', body })).status).toBe(201)
}

async function setStatus(server: TestServer, path: string, status: object): Promise<void> {
  const reply = await server.send(`${path}/status`, { method: 'PATCH', body: { status }, headers: merge })
  expect(reply.status).toBe(200)
}

/** A node with its address, and the port of its kubelet. */
interface NodeFacts {
  readonly name: string
  readonly address: string
  readonly port: number
  /** The type of the address. */
  readonly type?: string
  /** Further fields of its status. */
  readonly status?: object
}

/** Makes a node. */
export async function makeNode(server: TestServer, facts: NodeFacts): Promise<void> {
  const { name, address, port, type = 'InternalIP', status } = facts
  await make(server, '/api/v1/nodes', { metadata: { name } })
  const addresses = [{ type, address }]
  await setStatus(server, `/api/v1/nodes/${name}`, { addresses, daemonEndpoints: { kubeletEndpoint: { Port: port } }, ...status })
}

/** A Pod on a node, with its address and the port of its container. */
interface PodFacts {
  readonly name: string
  readonly nodeName: string
  readonly ip: string
  readonly port: number
}

/** Makes a Pod. */
export async function makePod(server: TestServer, { name, nodeName, ip, port }: PodFacts): Promise<void> {
  const containers = [{ name: 'main', image: 'registry.example/app:1', ports: [{ containerPort: port }] }]
  await make(server, pods, { metadata: { name }, spec: { nodeName, containers, automountServiceAccountToken: false } })
  await setStatus(server, `${pods}/${name}`, { podIP: ip, podIPs: [{ ip }] })
}

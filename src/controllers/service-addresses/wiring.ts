/**
 * Keeps an IPAddress for each address of a Service, from its allocation until its release. The collection of Services allocates
 * the addresses; the objects only show them. Follows the IP allocator of k8s.io/kubernetes.
 */

import type { Service } from '../../catalog/generated/types/core.v1.ts'
import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import { headless } from '../../catalog/service-types.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import type { Target } from '../../clusters/operation.ts'
import { ApiError } from '../../meta/errors.ts'
import { serverManager } from '../../meta/managers.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { isIpv6 } from '../../net/ip.ts'
import { objectOf } from '../../registry/stored-object.ts'
import type { Stored } from '../../storage/store.ts'
import type { Controller } from '../controller.ts'
import type { Kernel } from '../kernel.ts'

const prefix = 'services/'
const manager = serverManager
const group = 'networking.k8s.io'
const resource = 'ipaddresses'

interface IpAddress extends KubernetesObject {
  spec: { parentRef?: { resource?: string; namespace?: string; name?: string } }
}

function addressesOf(stored: Stored | undefined): readonly string[] {
  if (stored === undefined) return []
  const { clusterIPs = [] } = (objectOf(stored) as Service).spec
  return clusterIPs.filter((address) => address !== headless)
}

function addressKind(): Kind {
  const kind = kindOf(group, 'v1', resource)
  if (kind === undefined) throw new Error('no kind IPAddress')
  return kind
}

const targetOf = (name: string): Target => ({ group, version: 'v1', resource, subresource: '', namespace: '', name })

const shared = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((one, i) => one === b[i])

/** Returns the JSON of the IPAddress of a Service. */
function addressText(address: string, namespace: string, name: string): string {
  const labels = {
    'ipaddress.kubernetes.io/ip-family': isIpv6(address) ? 'IPv6' : 'IPv4',
    'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
  }
  return JSON.stringify({ metadata: { name: address, labels }, spec: { parentRef: { resource: 'services', namespace, name } } })
}

/** The IPAddresses of a cluster. */
class IpAddresses {
  readonly #kind = addressKind()
  readonly #objects: CollectionClient

  constructor(objects: CollectionClient) {
    this.#objects = objects
  }

  async #find(address: string): Promise<IpAddress | undefined> {
    try {
      const found = await this.#objects.perform(this.#kind, { verb: 'get', target: targetOf(address), resourceVersion: '' })
      return await found.json<IpAddress>()
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return undefined
      throw error
    }
  }

  async #isOf(address: string, namespace: string, name: string): Promise<IpAddress | 'others' | undefined> {
    const found = await this.#find(address)
    if (found === undefined) return undefined
    const { parentRef = {} } = found.spec
    const isOwn = parentRef.resource === 'services' && parentRef.namespace === namespace && parentRef.name === name
    return isOwn ? found : 'others'
  }

  /**
   * Creates the IPAddress.
   * @returns false while it still belongs to the former holder of the address
   */
  async ensure(address: string, namespace: string, name: string): Promise<boolean> {
    const found = await this.#isOf(address, namespace, name)
    if (found !== undefined) return found !== 'others'
    const write = { manager, dryRun: false }
    try {
      const operation = { verb: 'create', target: targetOf(''), write } as const
      await this.#objects.performWithoutAnswer(this.#kind, operation, addressText(address, namespace, name))
      return true
    } catch (error) {
      if (error instanceof ApiError && error.reason === 'AlreadyExists') return false
      throw error
    }
  }

  /**
   * Deletes the IPAddress unless it belongs to another object.
   * @returns true: nothing is left to do
   */
  async release(address: string, namespace: string, name: string): Promise<boolean> {
    const found = await this.#isOf(address, namespace, name)
    if (found === undefined || found === 'others') return true
    const { uid } = found.metadata
    const operation = {
      verb: 'delete',
      target: targetOf(address),
      delete: uid === undefined ? {} : { uid },
      dryRun: false,
    } as const
    await this.#objects.performWithoutAnswer(this.#kind, operation).catch((error: unknown) => {
      // Another request deleted or changed it first.
      if (!(error instanceof ApiError) || (error.code !== 404 && error.code !== 409)) throw error
    })
    return true
  }
}

/** Keeps the IPAddresses of the Services. */
export const serviceAddresses: Controller<Kernel> = {
  name: 'service-addresses',
  rows: 'outbox-of-writes/service-addresses/',
  at: { group: '', resource: 'services' },
  awaitedBy: 'write',
  open: ({ client, store }) => {
    const all = new IpAddresses(client)
    return {
      keys: ({ type, object, previous }) => {
        const before = addressesOf(previous)
        const now = type === 'DELETED' ? [] : addressesOf(object)
        if (shared(before, now)) return []
        return [`${object.key.slice(prefix.length)}/${[...new Set([...before, ...now])].join(',')}`]
      },
      reconcile: async (key) => {
        const [namespace = '', name = '', addresses = ''] = key.split('/')
        const current = addressesOf(store.get(`${prefix}${namespace}/${name}`))
        const results = await Promise.all(
          addresses
            .split(',')
            .map((address) =>
              current.includes(address) ? all.ensure(address, namespace, name) : all.release(address, namespace, name),
            ),
        )
        return results.every((isDone) => isDone) ? 'done' : 'later'
      },
    }
  },
}

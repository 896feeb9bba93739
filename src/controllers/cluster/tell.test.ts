import { expect, test } from 'vitest'
import type { JurisdictionRedirect, WantedCluster } from '../../clusters/cluster-terms.ts'
import { CollectionClient } from '../../clusters/collection-client.ts'
import { controlProtocol } from '../../clusters/control-protocol.ts'
import type { ObjectBindings } from '../../clusters/object-stubs.ts'
import { collectionUrl } from '../../clusters/protocol.ts'
import { errorResponse } from '../../clusters/wire-error.ts'
import { ClusterElsewhere } from '../../meta/errors.ts'
import { tell } from './tell.ts'

/** The clusters that the control objects with one name hold in each jurisdiction; '' is outside of all. */
class Objects {
  readonly clusters = new Map<string, string>()
  redirect: string | undefined

  #answer(where: string, path: string, body: unknown): Response {
    if (where === '' && path === controlProtocol.setRedirect.path) {
      const { jurisdiction, former } = body as JurisdictionRedirect
      this.clusters.delete('')
      if (this.redirect !== undefined && this.redirect !== jurisdiction && this.redirect !== former)
        return errorResponse(new ClusterElsewhere(this.redirect))
      this.redirect = jurisdiction
      return Response.json({})
    }
    if (where === '' && this.redirect !== undefined) return errorResponse(new ClusterElsewhere(this.redirect))
    const { uid } = body as WantedCluster
    if (uid === '') this.clusters.delete(where)
    else this.clusters.set(where, uid)
    return Response.json({ objects: 1, bytes: 1 })
  }

  #namespace(where: string): DurableObjectNamespace {
    const namespace = {
      jurisdiction: (name: string) => this.#namespace(name),
      idFromName: (name: string) => name,
      get: () => ({
        fetch: async (url: string, init?: RequestInit) =>
          this.#answer(where, url.slice(collectionUrl.length), JSON.parse(String(init?.body ?? '{}'))),
      }),
    }
    return namespace as unknown as DurableObjectNamespace
  }

  get bindings(): ObjectBindings {
    return { CONTROL: this.#namespace(''), COLLECTION: this.#namespace('') }
  }

  readonly clusterClient = (name: string, place: object = {}): CollectionClient =>
    new CollectionClient(this.bindings, { name, placement: undefined, ids: new Map(), isLocated: true, ...place })
}

const wanted = (uid: string, jurisdiction?: string): WantedCluster => ({
  uid,
  placement: 'one-object',
  ...(uid !== '' && { terms: jurisdiction === undefined ? {} : { jurisdiction } }),
})

test('a cluster is made in its jurisdiction, and clients that know only its name are led there', async () => {
  const objects = new Objects()
  await tell(objects, 'blue', wanted('1', 'eu'))
  expect([...objects.clusters]).toEqual([['eu', '1']])
  const client = new CollectionClient(objects.bindings, 'blue')
  expect((await client.control().fetch(`${collectionUrl}/policy`)).status).toBe(200)
  expect(client.isApart).toBe(true)
})

test('a later cluster with its name may be elsewhere, and leaves nothing behind', async () => {
  const objects = new Objects()
  for (const [uid, jurisdiction] of [['1', 'eu'], ['2', 'us'], ['3'], ['4', 'eu']] as const) {
    await tell(objects, 'blue', wanted(uid, jurisdiction))
    expect([...objects.clusters]).toEqual([[jurisdiction ?? '', uid]])
  }
  await tell(objects, 'blue', wanted(''))
  expect([...objects.clusters]).toEqual([])
  expect(objects.redirect).toBeUndefined()
})

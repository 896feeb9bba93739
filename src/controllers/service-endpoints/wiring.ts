/**
 * Deletes the Endpoints of a deleted Service, even if they were created by hand, as the Service registry of k8s.io/kubernetes
 * does.
 */

import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { ApiError } from '../../meta/errors.ts'
import type { Controller } from '../controller.ts'
import type { Kernel } from '../kernel.ts'

const prefix = 'services/'

function endpointsKind(): Kind {
  const kind = kindOf('', 'v1', 'endpoints')
  if (kind === undefined) throw new Error('no kind Endpoints')
  return kind
}

async function remove(client: CollectionClient, namespace: string, name: string): Promise<void> {
  const target = { group: '', version: 'v1', resource: 'endpoints', subresource: '', namespace, name }
  const operation = { verb: 'delete', target, delete: {}, dryRun: false } as const
  await client.performWithoutAnswer(endpointsKind(), operation).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 404) throw error
  })
}

/** Deletes the Endpoints of deleted Services. */
export const serviceEndpoints: Controller<Kernel> = {
  name: 'service-endpoints',
  rows: 'outbox-of-writes/service-endpoints/',
  at: { group: '', resource: 'services' },
  awaitedBy: 'write',
  open: ({ client, store }) => ({
    keys: ({ type, object }) => (type === 'DELETED' ? [object.key.slice(prefix.length)] : []),
    reconcile: async (key) => {
      const [namespace = '', name = ''] = key.split('/')
      // A Service that was recreated has Endpoints of its own.
      if (store.get(prefix + key) === undefined) await remove(client, namespace, name)
      return 'done'
    },
  }),
}

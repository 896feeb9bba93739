/**
 * Deletes the Endpoints of a deleted Service, even if they were created by hand, as the Service registry of k8s.io/kubernetes
 * does.
 */

import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import { ApiError } from '../../meta/errors.ts'
import type { Controller, ControllerContext } from '../controller.ts'

function endpointsKind(): Kind {
  const kind = kindOf('', 'v1', 'endpoints')
  if (kind === undefined) throw new Error('no kind Endpoints')
  return kind
}

/** Returns the controller of the collection's Services. */
export function serviceEndpointsController({ collections: objects, registry }: ControllerContext): Controller {
  const kind = endpointsKind()

  async function remove(namespace: string, name: string): Promise<boolean> {
    const target = { group: '', version: 'v1', resource: 'endpoints', subresource: '', namespace, name }
    await objects.performWithoutAnswer(kind, { verb: 'delete', target, delete: {}, dryRun: false }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== 404) throw error
    })
    return true
  }

  return {
    isPartOfWrites: true,
    enqueue: ({ type, object }) => (type === 'DELETED' ? `service-endpoints/${object.key.slice('services/'.length)}` : undefined),
    reconcilers: {
      'service-endpoints': async (rest) => {
        const [namespace = '', name = ''] = rest.split('/')
        // A Service that was recreated has Endpoints of its own.
        return registry().store.get(`services/${rest}`) !== undefined || remove(namespace, name)
      },
    },
  }
}

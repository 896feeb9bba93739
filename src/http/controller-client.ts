/** The client with which a controller acts if policies or webhooks see what it does. */
import type { CollectionClient } from '../clusters/collection-client.ts'
import type { User } from '../meta/user.ts'
import type { ResourceServices } from './context.ts'
import { resolveLookup } from './worker-lookups.ts'

/** The time that a controller gives one of its requests, in milliseconds: the longest of a client without a timeout. */
const patience = 60_000

/** Returns a client whose operations find what admission needs, as those of a request of this user do. */
export function controllerClient(client: CollectionClient, services: ResourceServices, user: User): CollectionClient {
  const deadline = Date.now() + patience
  const asker = { isStranger: false, arrivedAfter: services.policy.begun }
  const request = new Request('https://controller.invalid/')
  return client.forRequest({
    headers: {},
    observer: undefined,
    deadline,
    found: () => undefined,
    resolve: (lookup, ofRequest) => resolveLookup({ services, user, asker, client, ofRequest, deadline, request }, lookup),
  })
}

/** The backup requests of the Worker to one Durable Object. */
import { type BackupState, backupPaths } from '../../clusters/backup-messages.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { placementNamed } from '../../clusters/placement.ts'
import { fetchInner } from '../../clusters/protocol.ts'
import { ApiError } from '../../meta/errors.ts'

/** Sends a request for an inner path of backups. @throws ApiError of the Durable Object */
export async function askObject(client: CollectionClient, name: string, path: string, body?: string): Promise<Response> {
  const stub = client.get(placementNamed(name))
  return fetchInner(stub, path, body === undefined ? {} : { method: 'POST', body })
}

export async function stateOf(client: CollectionClient, name: string): Promise<BackupState> {
  return (await askObject(client, name, backupPaths.state)).json()
}

/**
 * Sends a request after which the object restarts, so that it cannot be answered.
 * @throws ApiError if the object has refused the request; 503 if it is not known whether it did
 */
export async function askAndRestart(client: CollectionClient, name: string, path: string, body: object): Promise<BackupState> {
  const before = await stateOf(client, name)
  let failure: unknown
  try {
    await askObject(client, name, path, JSON.stringify(body))
  } catch (error) {
    if (error instanceof ApiError) throw error
    failure = error
  }
  const after = await stateOf(client, name)
  if (failure === undefined || after.incarnation !== before.incarnation) return after
  throw new ApiError(503, 'ServiceUnavailable', `${name} was not reached`, { retryAfterSeconds: 1 })
}

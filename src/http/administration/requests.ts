/** The backup requests of the Worker to one Durable Object. */
import type { BackupState } from '../../clusters/backup-messages.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { type Message, send } from '../../clusters/message.ts'
import { objectProtocol } from '../../clusters/object-protocol.ts'
import { placementNamed } from '../../clusters/placement.ts'
import { ApiError } from '../../meta/errors.ts'

/** Reads the state of an object. @throws ApiError of the Durable Object */
export const stateOf = (client: CollectionClient, name: string): Promise<BackupState> =>
  send(client.get(placementNamed(name)), objectProtocol.backupState)

/**
 * Sends a message after which the object restarts, so that it cannot be answered.
 * @throws ApiError if the object has refused the message; 503 if it is not known whether it did
 */
export async function sendBeforeRestart<Question>(
  client: CollectionClient,
  name: string,
  message: Message<Question, void>,
  question: Question,
): Promise<BackupState> {
  const before = await stateOf(client, name)
  let failure: unknown
  try {
    await send(client.get(placementNamed(name)), message, question)
  } catch (error) {
    if (error instanceof ApiError) throw error
    failure = error
  }
  const after = await stateOf(client, name)
  if (failure === undefined || after.incarnation !== before.incarnation) return after
  throw new ApiError(503, 'ServiceUnavailable', `${name} was not reached`, { retryAfterSeconds: 1 })
}

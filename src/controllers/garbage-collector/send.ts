import type { CollectionClient } from '../../clusters/collection-client.ts'
import { send } from '../../clusters/message.ts'
import { objectProtocol } from '../../clusters/object-protocol.ts'
import { type OwnerAnswers, type OwnerMessage, placementOfText } from '../../clusters/owner-messages.ts'

/**
 * Sends a message about owners to a place.
 * @throws ApiError 503 if the place has another release
 */
export async function sendToPlace<M extends OwnerMessage>(
  objects: CollectionClient,
  place: string,
  message: M,
): Promise<OwnerAnswers[M['do']]> {
  const answer = await send(objects.get(placementOfText(objects.cluster, place)), objectProtocol.owners, message)
  return answer as OwnerAnswers[M['do']]
}

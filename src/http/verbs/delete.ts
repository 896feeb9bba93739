/** DELETE of one object. */
import { isControlled } from '../../clusters/placement.ts'
import { negotiateOutput, objectTransformOf } from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { readDeletion } from './delete-options.ts'
import { representationOf } from './representation.ts'
import { respond } from './respond.ts'

export async function remove({ client, services, request, query, kind, target }: ResourceContext): Promise<Response> {
  const output = negotiateOutput(request, objectTransformOf(kind))
  const deletion = await readDeletion(request, query)
  const operation = { verb: 'delete', target, ...deletion, ...representationOf(output, query) } as const
  const inner = await client.perform(kind, operation)
  // A client that deletes a namespace must not be able to write to it afterwards.
  if (isControlled(kind.storage)) services.policy.invalidate()
  return respond(inner, output)
}

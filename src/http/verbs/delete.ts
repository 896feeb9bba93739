/** DELETE of one object. */
import { placementOf } from '../../clusters/placement.ts'
import { negotiateOutput, noTransform } from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { readDeletion } from './delete-options.ts'
import { respond } from './respond.ts'

export async function remove({ server, request, query, kind, target }: ResourceContext): Promise<Response> {
  const output = negotiateOutput(request, noTransform)
  const deletion = await readDeletion(request, query)
  const inner = await server.objects.perform(server.cluster, kind, { verb: 'delete', target, ...deletion })
  // Who deletes a namespace and then writes to it is to be refused at once.
  if (placementOf(server.cluster, kind.storage).class === 'control') server.policy.forget()
  return respond(inner, output)
}

/** DELETE of one object. */
import { negotiateOutput, noTransform } from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { readDeletion } from './delete-options.ts'
import { respond } from './respond.ts'

export async function remove({ server, request, query, kind, target }: ResourceContext): Promise<Response> {
  const output = negotiateOutput(request, noTransform)
  const deletion = await readDeletion(request, query)
  return respond(await server.objects.perform(server.cluster, kind, { verb: 'delete', target, ...deletion }), output)
}

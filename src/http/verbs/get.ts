/** GET of one object. */
import { readGetOptions } from '../../meta/options.ts'
import { negotiateOutput, noTransform } from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { respond } from './respond.ts'

export async function get({ server, request, query, kind, target }: ResourceContext): Promise<Response> {
  const output = negotiateOutput(request, noTransform)
  const { resourceVersion } = readGetOptions(query)
  return respond(await server.objects.perform(server.cluster, kind, { verb: 'get', target, resourceVersion }), output)
}

/** GET of one object. */
import { readGetOptions } from '../../meta/options.ts'
import { negotiateOutput, objectTransformOf } from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { representationOf } from './representation.ts'
import { respond } from './respond.ts'

/** Reads an object. Follows GetResource of k8s.io/apiserver/pkg/endpoints/handlers. @throws ApiError 400, 404 and 406 */
export async function get({ client, request, query, kind, target }: ResourceContext): Promise<Response> {
  const output = negotiateOutput(request, objectTransformOf(kind))
  const { resourceVersion } = readGetOptions(query)
  const operation = { verb: 'get', target, resourceVersion, ...representationOf(output, query) } as const
  return respond(await client.perform(kind, operation), output)
}

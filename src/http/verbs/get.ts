/** GET of one object. */
import type { Operation } from '../../clusters/operation.ts'
import { readGetOptions } from '../../meta/options.ts'
import { negotiateOutput, type Output, viewRuleOf } from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { viewField } from './answer-fields.ts'
import { respond } from './respond.ts'

/** A GET: its operation, and the form of its response. */
interface Read {
  readonly operation: Operation
  readonly output: Output
}

/** Returns what a GET asks for. @throws ApiError 400 and 406 */
export function readOf({ request, query, kind, target }: Pick<ResourceContext, 'request' | 'query' | 'kind' | 'target'>): Read {
  const output = negotiateOutput(request, viewRuleOf(kind, target.subresource))
  const { resourceVersion } = readGetOptions(query)
  return { operation: { verb: 'get', target, resourceVersion, ...viewField(output, query) }, output }
}

/** Reads an object. Follows GetResource of k8s.io/apiserver/pkg/endpoints/handlers. @throws ApiError 400, 404 and 406 */
export async function get(context: ResourceContext): Promise<Response> {
  const { operation, output } = readOf(context)
  return respond(await context.client.perform(context.kind, operation), output)
}

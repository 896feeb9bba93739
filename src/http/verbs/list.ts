/** GET of a collection. */
import type { ListOptions } from '../../clusters/operation.ts'
import { readListOptions } from '../../meta/list-options.ts'
import { negotiateOutput, viewRuleOf } from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { answerFields } from './answer-fields.ts'
import { respond } from './respond.ts'

/** Returns the options of a list for an operation. They are validated here; selectors are parsed in the Durable Object. */
export function listOptions(query: URLSearchParams): ListOptions {
  const { resourceVersion, resourceVersionMatch, limit, continue: token } = readListOptions(query)
  return {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    resourceVersion,
    resourceVersionMatch,
    limit,
    continue: token,
  }
}

/**
 * Lists a collection. Follows ListResource of k8s.io/apiserver/pkg/endpoints/handlers.
 * @throws ApiError 400, 406 and 422 before the collection is called, and the errors of the collection
 */
export async function list({ client, request, query, kind, target }: ResourceContext): Promise<Response> {
  const output = negotiateOutput(request, viewRuleOf(kind, ''))
  const operation = { verb: 'list', target, list: listOptions(query), ...answerFields(output, query) } as const
  return respond(await client.perform(kind, operation), output, [], 'list')
}

/** DELETE of the selected objects of a collection. */
import { namespaceRequired } from '../../meta/errors.ts'
import { supportedFieldSelector } from '../../meta/field-selector.ts'
import { readListOptions } from '../../meta/list-options.ts'
import { negotiateOutput, objectTransformOf } from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { readDeletion } from './delete-options.ts'
import { listOptions } from './list.ts'
import { convertedBy, representationOf } from './representation.ts'
import { respond } from './respond.ts'

export async function removeCollection({ client, request, query, kind, target }: ResourceContext): Promise<Response> {
  const output = negotiateOutput(request, objectTransformOf(kind))
  const list = listOptions(query)
  // An unsupported field selector is reported before invalid DeleteOptions.
  supportedFieldSelector(readListOptions(query).fieldSelector, kind.codec.fieldLabels())
  const deletion = await readDeletion(request, query)
  // Only the server itself deletes in all namespaces, when it deletes a CustomResourceDefinition.
  if (kind.namespaced && target.namespace === '') throw namespaceRequired()
  const format = { ...representationOf(output, query), ...convertedBy(output) }
  const operation = { verb: 'deletecollection', target, list, ...deletion, ...format } as const
  return respond(await client.perform(kind, operation), output, [], 'list')
}

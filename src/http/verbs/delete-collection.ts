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
  // What cannot be selected by is told before what the options are.
  supportedFieldSelector(readListOptions(query).fieldSelector, kind.codec.fieldLabels())
  const deletion = await readDeletion(request, query)
  // The server itself deletes in all namespaces, as with the definition of a custom resource: nobody else does.
  if (kind.namespaced && target.namespace === '') throw namespaceRequired()
  const shown = { ...representationOf(output, query), ...convertedBy(output) }
  const operation = { verb: 'deletecollection', target, list, ...deletion, ...shown } as const
  return respond(await client.perform(kind, operation), output, [], 'list')
}

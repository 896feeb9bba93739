/** DELETE of the selected objects of a collection. */
import { removeEach } from '../../clusters/remove-each.ts'
import { namespaceRequired } from '../../meta/errors.ts'
import { supportedFieldSelector } from '../../meta/field-selector.ts'
import { readListOptions } from '../../meta/list-options.ts'
import { negotiateOutput, viewRuleOf } from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { admissionOf, deleteOptionsOf } from './admission.ts'
import { jsonListFields } from './answer-fields.ts'
import { readDeletion } from './delete-options.ts'
import { listOptions } from './list.ts'
import { respond } from './respond.ts'

/**
 * Deletes the selected objects. Follows DeleteCollection of k8s.io/apiserver/pkg/endpoints/handlers.
 * @throws ApiError 400, 406, 413, 415 and 422 before the collection is called, and the errors of the commits
 */
export async function removeCollection(context: ResourceContext): Promise<Response> {
  const { client, request, query, kind, target, user } = context
  const output = negotiateOutput(request, viewRuleOf(kind, ''))
  const list = listOptions(query)
  // An unsupported field selector is reported before invalid DeleteOptions.
  supportedFieldSelector(readListOptions(query).fieldSelector, kind.codec.fieldLabels())
  const deletion = await readDeletion(request, query)
  // Only the server itself deletes in all namespaces, when it deletes a CustomResourceDefinition.
  if (kind.namespaced && target.namespace === '') throw namespaceRequired()
  const format = jsonListFields(output, query)
  const { dryRun } = deletion
  const admitted = { operation: 'DELETE', options: deleteOptionsOf(deletion.delete, dryRun), dryRun } as const
  const admission = await admissionOf(context, null, { ...admitted, operations: ['DELETE'] })
  if (admission.admission !== undefined) {
    const listed = await client.perform(kind, { verb: 'list', target, list, ...format })
    const warnings = await removeEach(client, { kind, target, list }, { ...deletion, user, ...admission })
    return respond(listed, output, warnings, 'list')
  }
  const operation = { verb: 'deletecollection', target, list, ...deletion, user, ...format } as const
  return respond(await client.perform(kind, operation), output, [], 'list')
}

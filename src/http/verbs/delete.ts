/** DELETE of one object. */
import { isControlled } from '../../clusters/placement.ts'
import { negotiateOutput, viewRuleOf } from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { admissionOf, deleteOptionsOf } from './admission.ts'
import { viewField } from './answer-fields.ts'
import { readDeletion } from './delete-options.ts'
import { respond } from './respond.ts'

/**
 * Deletes an object. Follows DeleteResource of k8s.io/apiserver/pkg/endpoints/handlers.
 * @throws ApiError 400, 406, 413, 415 and 422 before the collection is called, and the errors of the commit
 */
export async function remove(context: ResourceContext): Promise<Response> {
  const { client, services, request, query, kind, target, user } = context
  const output = negotiateOutput(request, viewRuleOf(kind, ''))
  const deletion = await readDeletion(request, query)
  const { dryRun } = deletion
  const options = deleteOptionsOf(deletion.delete, dryRun)
  const admission = await admissionOf(context, null, { operations: ['DELETE'], options, dryRun })
  const operation = { verb: 'delete', target, ...deletion, user, ...admission, ...viewField(output, query) } as const
  const inner = await client.perform(kind, operation)
  // A client that deletes a namespace must not be able to write to it afterwards.
  if (isControlled(kind.storage)) services.policy.invalidate()
  return respond(inner, output)
}

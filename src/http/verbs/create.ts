/** POST to a collection. */

import type { JsonValue } from '../../go/json-value.ts'
import { withWarningsOnErrors } from '../../meta/errors.ts'
import { readCreateOptions } from '../../meta/options.ts'
import { checkNamespace } from '../../registry/name-check.ts'
import { lostInJson } from '../../registry/parity/lost-in-json.ts'
import { misnamedError } from '../../registry/parity/validate-type-meta.ts'
import { negotiateObject } from '../codec/content-type.ts'
import { negotiateOutput, viewRuleOf } from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { admissionOf, writeOptionsOf } from './admission.ts'
import { viewField } from './answer-fields.ts'
import { readInput, textOfDecoded } from './body.ts'
import { decodeBody } from './decode-body.ts'
import { respond } from './respond.ts'
import { writeOptions } from './write-options.ts'

/**
 * Creates an object. Follows createHandler of k8s.io/apiserver/pkg/endpoints/handlers.
 * @throws ApiError 400, 406, 413, 415 and 422 before the collection is called, and the errors of the commit
 */
export async function create(context: ResourceContext): Promise<Response> {
  const { client, request, query, kind, target } = context
  const output = negotiateOutput(request, viewRuleOf(kind, target.subresource))
  const input = await readInput(request, negotiateObject(request.headers.get('content-type'), kind))
  const options = readCreateOptions(query)
  const decoded = await decodeBody(kind, input, options.fieldValidation || 'Warn')
  const { object, warnings, misnamed } = decoded
  return withWarningsOnErrors(warnings, async () => {
    if (misnamed !== undefined) throw misnamedError(kind, misnamed, object.metadata.name ?? '')
    context.audit?.requested(kind, object)
    checkNamespace(object.metadata, target)
    const write = writeOptions(options, context)
    const { dryRun } = write
    const { name = '' } = object.metadata
    const admitted = { operations: ['CREATE'], options: writeOptionsOf('CreateOptions', options), dryRun, name } as const
    const admission = await admissionOf(context, object as unknown as JsonValue, admitted)
    const sent = { ...lostInJson(object), ...admission, ...viewField(output, query) }
    const operation = { verb: 'create', target, write, ...sent } as const
    return respond(await client.perform(kind, operation, textOfDecoded(object)), output, warnings)
  })
}

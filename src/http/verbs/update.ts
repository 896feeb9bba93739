/** PUT of one object. */

import type { Decoded, FieldValidation } from '../../catalog/decoded.ts'
import type { Kind } from '../../catalog/kind.ts'
import { bodyKindOf } from '../../catalog/scheme.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { ApiError, badRequest, withWarningsOnErrors } from '../../meta/errors.ts'
import { readUpdateOptions } from '../../meta/options.ts'
import { scheme } from '../../meta/type-meta.ts'
import { checkNameAndNamespace } from '../../registry/name-check.ts'
import { lostInJson } from '../../registry/parity/lost-in-json.ts'
import { mayCreateBy, strategyOptionsOf } from '../../registry/strategy-options.ts'
import { negotiateObject } from '../codec/content-type.ts'
import { negotiateOutput, viewRuleOf } from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { admissionOf, writeOptionsOf } from './admission.ts'
import { viewField } from './answer-fields.ts'
import { type Input, inputOf, readBytes, textOfDecoded } from './body.ts'
import { decodeBody } from './decode-body.ts'
import { respond } from './respond.ts'
import { writeOptions } from './write-options.ts'

/**
 * Decodes the body of an update. For an invalid Scale of a custom resource, kube-apiserver's error is about an unregistered kind,
 * because it looks Scale up in a scheme without it.
 */
async function decodeUpdate(kind: Kind, bodyKind: Kind, input: Input, validation: FieldValidation): Promise<Decoded> {
  try {
    return await decodeBody(bodyKind, input, validation)
  } catch (error) {
    if (!(error instanceof ApiError) || kind === bodyKind || kind.definition === undefined) throw error
    throw badRequest(`no kind is registered for the type v1.${bodyKind.kind} in scheme "${scheme}"`)
  }
}

/**
 * Replaces an object. Follows UpdateResource of k8s.io/apiserver/pkg/endpoints/handlers.
 * @throws ApiError 400, 406, 413, 415 and 422 before the collection is called, and the errors of the commit
 */
export async function update(context: ResourceContext): Promise<Response> {
  const { client, request, query, kind, target } = context
  const output = negotiateOutput(request, viewRuleOf(kind, target.subresource))
  const bodyKind = bodyKindOf(kind, target.subresource)
  // Unlike in the other writes, invalid options are found before the media type of the body.
  const bytes = await readBytes(request)
  const options = readUpdateOptions(query)
  const input = await inputOf(bytes, negotiateObject(request.headers.get('content-type'), bodyKind))
  const { object, warnings, misnamed } = await decodeUpdate(kind, bodyKind, input, options.fieldValidation || 'Warn')
  context.audit?.requested(bodyKind, object)
  return withWarningsOnErrors(warnings, async () => {
    checkNameAndNamespace(object.metadata, target)
    const mayCreate = mayCreateBy('update', strategyOptionsOf(kind.storage.prefix), target.subresource)
    const write = writeOptions(options, context)
    const admission = await admissionOf(context, object as unknown as JsonValue, {
      operations: mayCreate ? ['CREATE', 'UPDATE'] : ['UPDATE'],
      // An object with a resourceVersion was read, so it exists.
      likely: mayCreate && object.metadata.resourceVersion === undefined ? ['CREATE', 'UPDATE'] : ['UPDATE'],
      options: writeOptionsOf('UpdateOptions', options),
      dryRun: write.dryRun,
    })
    const sent = { misnamed, ...lostInJson(object), ...admission, ...viewField(output, query) }
    const operation = { verb: 'update', target, write, ...sent } as const
    return respond(await client.perform(kind, operation, textOfDecoded(object)), output, warnings)
  })
}

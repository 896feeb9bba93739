/** PATCH of one object. The Durable Object of the collection applies the patch. */
import type { PatchType } from '../../clusters/operation.ts'
import { badRequest } from '../../meta/errors.ts'
import { readPatchOptions } from '../../meta/options.ts'
import {
  type ApplyType,
  customPatchTypes,
  negotiatePatch,
  type PatchType as PatchMediaType,
  patchTypes,
} from '../codec/content-type.ts'
import { negotiateOutput, viewRuleOf } from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { admissionOf, writeOptionsOf } from './admission.ts'
import { viewField } from './answer-fields.ts'
import { apply, readCborConfiguration, readConfiguration } from './apply.ts'
import { readBody, readBytes } from './body.ts'
import { respond } from './respond.ts'
import { writeOptions } from './write-options.ts'

const typeOf: Readonly<Record<Exclude<PatchMediaType, ApplyType>, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
}

/**
 * Patches an object. Follows PatchResource of k8s.io/apiserver/pkg/endpoints/handlers.
 * @throws ApiError 400, 406, 413, 415 and 422 before the collection is called, and the errors of the commit
 */
export async function patch(context: ResourceContext): Promise<Response> {
  const { client, request, query, kind, target } = context
  const mediaType = negotiatePatch(
    request.headers.get('content-type'),
    kind.codec.strategicMergePatch === 'supported' ? patchTypes() : customPatchTypes(),
  )
  if (target.name === '') throw badRequest('name must be provided')
  const output = negotiateOutput(request, viewRuleOf(kind, target.subresource))
  if (mediaType === 'application/apply-patch+cbor') {
    const bytes = await readBytes(request)
    return apply(context, output, () => readCborConfiguration(bytes, kind))
  }
  const text = await readBody(request, mediaType)
  if (mediaType === 'application/apply-patch+yaml') return apply(context, output, () => readConfiguration(text))
  const options = readPatchOptions(query, 'other')
  const write = writeOptions(options, context)
  const admitted = { operations: ['UPDATE'], options: writeOptionsOf('UpdateOptions', options), dryRun: write.dryRun } as const
  const inner = await client.perform(
    kind,
    {
      verb: 'patch',
      target,
      write,
      ...(await admissionOf(context, null, admitted)),
      patchType: typeOf[mediaType],
      fieldValidation: options.fieldValidation || 'Warn',
      ...viewField(output, query),
    },
    text,
  )
  return respond(inner, output)
}

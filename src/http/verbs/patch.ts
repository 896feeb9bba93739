/** PATCH of one object: the document is applied where the object is. */
import type { PatchType } from '../../clusters/operation.ts'
import { readPatchOptions } from '../../meta/options.ts'
import { customPatchTypes, negotiatePatch, type PatchType as PatchMediaType, patchTypes } from '../codec/content-type.ts'
import { negotiateOutput, objectTransformOf } from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { apply } from './apply.ts'
import { readBytes, textOf } from './body.ts'
import { representationOf } from './representation.ts'
import { respond } from './respond.ts'
import { writeOptions } from './write-options.ts'

const typeOf: Readonly<Record<Exclude<PatchMediaType, 'application/apply-patch+yaml'>, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
}

export async function patch(context: ResourceContext): Promise<Response> {
  const { server, request, query, kind, target } = context
  const mediaType = negotiatePatch(request.headers.get('content-type'), kind.custom === undefined ? patchTypes : customPatchTypes)
  const output = negotiateOutput(request, objectTransformOf(kind))
  const bytes = await readBytes(request)
  if (mediaType === 'application/apply-patch+yaml') return apply(context, output, bytes)
  const options = readPatchOptions(query, 'other')
  const inner = await server.objects.perform(
    server.cluster,
    kind,
    {
      verb: 'patch',
      target,
      write: writeOptions(options, context),
      patchType: typeOf[mediaType],
      fieldValidation: options.fieldValidation || 'Warn',
      ...representationOf(output, query),
    },
    textOf(bytes),
  )
  return respond(inner, output)
}

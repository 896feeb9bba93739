/** PATCH of one object: the document is applied where the object is. */
import type { PatchType } from '../../clusters/operation.ts'
import { readPatchOptions } from '../../meta/options.ts'
import { negotiatePatch, type PatchType as PatchMediaType, patchTypes } from '../codec/content-type.ts'
import { negotiateOutput, objectTransform } from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { readBody } from './body.ts'
import { representationOf } from './representation.ts'
import { respond } from './respond.ts'
import { writeOptions } from './write-options.ts'

const typeOf: Readonly<Record<PatchMediaType, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
}

export async function patch(context: ResourceContext): Promise<Response> {
  const { server, request, query, kind, target } = context
  const patchType = typeOf[negotiatePatch(request.headers.get('content-type'), patchTypes)]
  const output = negotiateOutput(request, objectTransform)
  const text = await readBody(request)
  const options = readPatchOptions(query, patchType === 'apply' ? 'apply' : 'other')
  const inner = await server.objects.perform(
    server.cluster,
    kind,
    {
      verb: 'patch',
      target,
      write: writeOptions(options, context),
      patchType,
      fieldValidation: options.fieldValidation || 'Warn',
      ...representationOf(output, query),
    },
    text,
  )
  return respond(inner, output)
}

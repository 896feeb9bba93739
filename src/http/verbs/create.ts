/** POST to a collection. */

import { badRequest, warnedOf } from '../../meta/errors.ts'
import { readCreateOptions } from '../../meta/options.ts'
import { negotiateInput } from '../codec/content-type.ts'
import { negotiateOutput, noTransform } from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { readInput } from './body.ts'
import { decodeBody } from './decode-body.ts'
import { namespaceRefusal } from './namespace-lifecycle.ts'
import { respond } from './respond.ts'
import { writeOptions } from './write-options.ts'

export async function create(context: ResourceContext): Promise<Response> {
  const { server, request, query, kind, target } = context
  const output = negotiateOutput(request, noTransform)
  const input = await readInput(request, negotiateInput(request.headers.get('content-type')))
  const options = readCreateOptions(query)
  const { object, warnings } = decodeBody(kind, input, options.fieldValidation || 'Warn')
  return warnedOf(warnings, async () => {
    const { namespace = '', name = '' } = object.metadata
    if (kind.namespaced && namespace !== '' && namespace !== target.namespace) {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
    }
    const refusal = await namespaceRefusal(context, name)
    if (refusal !== undefined) throw refusal
    const operation = { verb: 'create', target, write: writeOptions(options, request) } as const
    return respond(await server.objects.perform(server.cluster, kind, operation, JSON.stringify(object)), output, warnings)
  })
}

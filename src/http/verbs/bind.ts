/** POST of a Binding to a Pod's subresource `binding`, or to the deprecated resource `bindings` of a namespace. */
import { bodyKindOf, kindOf } from '../../catalog/scheme.ts'
import { badRequest, unknownResource, withWarningsOnErrors } from '../../meta/errors.ts'
import { checkTarget } from '../../registry/subresources/binding.ts'
import type { ResourceContext } from '../context.ts'
import { readCreateOnly } from './create-only.ts'
import { respond } from './respond.ts'

/** @throws ApiError 400 if the Binding names another Pod than the path, and the errors of registry/subresources/binding.ts */
export async function bind(context: ResourceContext): Promise<Response> {
  const { client, kind, target } = context
  const request = await readCreateOnly(context, bodyKindOf(kind, target.subresource))
  const { object, dryRun, output } = request
  const warnings = [...request.warnings]
  return withWarningsOnErrors(warnings, async () => {
    const { name = '' } = object.metadata
    if (target.subresource !== '' && name !== target.name) throw badRequest('name in URL does not match name in Binding object')
    checkTarget(object)
    warnings.push(...(await request.validate()))
    const pods = kindOf('', 'v1', 'pods')
    if (pods === undefined) throw unknownResource()
    const ofPod = { ...target, resource: 'pods', subresource: 'binding', name }
    const operation = { verb: 'bind', target: ofPod, dryRun: dryRun.length > 0 } as const
    const bound = await client.perform(pods, operation, JSON.stringify(object))
    return respond(bound, output, warnings)
  })
}

/** POST of a create-only resource, which requests an action and is not stored: a Binding, an Eviction. */
import type { Kind } from '../../catalog/kind.ts'
import { withWarningsOnErrors } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { readCreateOptions } from '../../meta/options.ts'
import { checkNamespace } from '../../registry/name-check.ts'
import { negotiateInput } from '../codec/content-type.ts'
import { metadataTransform, negotiateOutput, type OutputMediaType } from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { admitHere, writeOptionsOf } from './admission.ts'
import { readInput } from './body.ts'
import { decodeBody } from './decode-body.ts'

/** The decoded request, and the form of its response: a Status, which no transform changes. */
export interface CreateOnlyRequest {
  readonly object: KubernetesObject
  readonly dryRun: readonly string[]
  readonly output: OutputMediaType
  readonly warnings: readonly string[]
}

/**
 * Reads the body of a create-only resource.
 * @param accepted other apiVersions that the body may have
 * @throws ApiError with the errors of a create, including those of the namespace
 */
export async function readCreateOnly(
  context: ResourceContext,
  kind: Kind,
  accepted: readonly string[] = [],
): Promise<CreateOnlyRequest> {
  const { request, query, target } = context
  const output = negotiateOutput(request, metadataTransform)
  const input = await readInput(request, negotiateInput(request.headers.get('content-type')))
  const options = readCreateOptions(query)
  const { dryRun, fieldValidation } = options
  const { object, warnings } = decodeBody(kind, input, fieldValidation || 'Warn', accepted)
  const found = await withWarningsOnErrors(warnings, async () => {
    context.audit?.requested(kind, object)
    checkNamespace(object.metadata, target)
    object.metadata.namespace = target.namespace
    const written = writeOptionsOf('CreateOptions', options)
    return admitHere(context, object, { operation: 'CREATE', options: written, dryRun: dryRun.length > 0 })
  })
  return { object, dryRun, output, warnings: [...warnings, ...found] }
}

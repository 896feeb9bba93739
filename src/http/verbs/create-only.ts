/** POST of a create-only resource, which requests an action and is not stored: a Binding, an Eviction. */
import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import { withWarningsOnErrors } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { readCreateOptions } from '../../meta/options.ts'
import { trackCreate } from '../../registry/managed-fields.ts'
import { checkNamespace } from '../../registry/name-check.ts'
import { dedupeOwners } from '../../registry/owner-references.ts'
import { dropSystemFields } from '../../registry/system-fields.ts'
import { negotiateInput } from '../codec/content-type.ts'
import { metadataViews, negotiateOutput, type Output } from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { admitHere, writeOptionsOf } from './admission.ts'
import { readInput } from './body.ts'
import { decodeBody } from './decode-body.ts'
import { writeOptions } from './write-options.ts'

/** The decoded request, and the form of its response: a Status, which no transform changes. */
export interface CreateOnlyRequest {
  /** The object after the mutating phase of admission. */
  readonly object: KubernetesObject
  /** Runs the validating phase of admission and returns its warnings. It comes after the checks of the resource itself. */
  readonly validate: () => Promise<readonly string[]>
  readonly dryRun: readonly string[]
  readonly output: Output
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
  const output = negotiateOutput(request, metadataViews)
  const input = await readInput(request, negotiateInput(request.headers.get('content-type')))
  const options = readCreateOptions(query)
  const { dryRun, fieldValidation } = options
  const { object, warnings: decoded } = await decodeBody(kind, input, fieldValidation || 'Warn', accepted)
  const warnings = [...decoded]
  const admitted = {
    operation: 'CREATE',
    options: writeOptionsOf('CreateOptions', options),
    dryRun: dryRun.length > 0,
    name: object.metadata.name ?? '',
  } as const
  const found = await withWarningsOnErrors(warnings, async () => {
    context.audit?.requested(kind, object)
    checkNamespace(object.metadata, target)
    object.metadata.namespace = target.namespace
    // The uid of a Pod's own subresource is a precondition.
    if (target.subresource !== 'binding') dropSystemFields(object.metadata)
    dedupeOwners(object.metadata, 'body', (text) => warnings.push(text))
    const { manager } = writeOptions(options, context)
    trackCreate({ kindOf }, kind, object, manager, {}, context.services.now(), target.subresource)
    return admitHere(context, object, admitted, ['admit'])
  })
  const validate = () => admitHere(context, object, admitted, ['validate'])
  return { object, validate, dryRun, output, warnings: [...warnings, ...found] }
}

/** POST of an Eviction. The Pod's collection performs it, and looks up whether the PodDisruptionBudgets allow it. */

import type { Kind } from '../../catalog/kind.ts'
import { bodyKindOf } from '../../catalog/scheme.ts'
import { type WireError, wireError } from '../../clusters/wire-error.ts'
import { ApiError, badRequest, invalid, withWarningsOnErrors } from '../../meta/errors.ts'
import { invalidValue } from '../../meta/field-error.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { type DeleteOptions, validateDeleteOptions } from '../../meta/options.ts'
import type { ResourceContext } from '../context.ts'
import { readCreateOnly } from './create-only.ts'
import { carried, type Deletion } from './delete-options.ts'
import { respond } from './respond.ts'

interface Eviction extends KubernetesObject {
  deleteOptions?: DeleteOptions & { readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean }
}

/** Evictions of this version have the same form. */
const accepted = ['policy/v1beta1']

/** Returns dryRun of the query or of the options. @throws ApiError 500 if both are set to different values */
function dryRunOf(ofQuery: readonly string[], ofOptions: readonly string[]): readonly string[] {
  if (ofQuery.length === 0 || ofOptions.length === 0) return ofQuery.length === 0 ? ofOptions : ofQuery
  if (ofQuery.join(' ') === ofOptions.join(' ')) return ofQuery
  const words = `[${ofQuery.join(' ')}] and [${ofOptions.join(' ')}]`
  throw new ApiError(500, '', `Non-matching dry-run options in request and content: ${words}`)
}

function checkEviction(kind: Kind, { metadata, deleteOptions }: Eviction, name: string): void {
  if (metadata.name !== name) throw badRequest('name in URL does not match name in Eviction object')
  if (deleteOptions?.ignoreStoreReadErrorWithClusterBreakingPotential !== true) return
  const field = 'deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential'
  const text = 'can not be set for pod eviction, try after removing the option'
  throw invalid(kind, name, [invalidValue(field, true, text)])
}

/** Returns the error of invalid options. It is an error of the deletion, which comes last. */
function refusalOf(options: DeleteOptions): { readonly refusal?: WireError } {
  try {
    validateDeleteOptions(options)
    return {}
  } catch (error) {
    if (error instanceof ApiError) return { refusal: wireError(error) }
    throw error
  }
}

/**
 * @throws ApiError 400, 422 for an invalid Eviction; the others are those of registry/subresources/eviction.ts and disruption.ts
 */
export async function evict(context: ResourceContext): Promise<Response> {
  const { client, kind, target } = context
  const bodyKind = bodyKindOf(kind, target.subresource)
  const request = await readCreateOnly(context, bodyKind, accepted)
  const { output } = request
  const warnings = [...request.warnings]
  return withWarningsOnErrors(warnings, async () => {
    const eviction = request.object as Eviction
    checkEviction(bodyKind, eviction, target.name)
    const options = { ...eviction.deleteOptions, dryRun: dryRunOf(request.dryRun, eviction.deleteOptions?.dryRun ?? []) }
    warnings.push(...(await request.validate()))
    const deletion: Deletion = carried(options)
    const operation = { verb: 'evict', target, ...deletion, ...refusalOf(options) } as const
    return respond(await client.perform(kind, operation), output, warnings)
  })
}

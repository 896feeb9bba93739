/** Reviews are create-only resources: the response to a POST is the review with its status, and nothing is stored. */

import { orderFields } from '../../catalog/field-order.ts'
import type { Kind } from '../../catalog/kind.ts'
import { bodyKindOf, kindOf } from '../../catalog/scheme.ts'
import { show } from '../../encoding/kind-views.ts'
import { parseJson } from '../../go/json.ts'
import type { JsonValue } from '../../go/json-value.ts'
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
import { admitHere, writeOptionsOf } from '../verbs/admission.ts'
import { viewField } from '../verbs/answer-fields.ts'
import { readInput } from '../verbs/body.ts'
import { decodeBody } from '../verbs/decode-body.ts'
import { addWarnings } from '../verbs/respond.ts'
import { writeOptions } from '../verbs/write-options.ts'

/**
 * Evaluates one kind of review.
 * @param review the decoded review with its managedFields. The result may be this object with a status, or another object
 * @throws ApiError 422 if the review is invalid
 */
export type Reviewer = (review: KubernetesObject, context: ResourceContext) => Promise<KubernetesObject>

/** An answered review with its type. */
type Answered = KubernetesObject & { readonly kind: string; readonly apiVersion: string }

const noFields = {}

/**
 * Makes the handler of a review, or of a subresource that is a review.
 * @param complete validates and completes the review before the validating phase of admission
 */
export function reviewed(
  answer: Reviewer,
  complete?: (review: KubernetesObject, context: ResourceContext) => Promise<void>,
): (context: ResourceContext) => Promise<Response> {
  return async (context) => {
    const { request, query, target } = context
    const kind = bodyKindOf(context.kind, target.subresource)
    const output = negotiateOutput(request, metadataViews)
    const input = await readInput(request, negotiateInput(request.headers.get('content-type')))
    const options = readCreateOptions(query)
    const { object, warnings: found } = await decodeBody(kind, input, options.fieldValidation || 'Warn')
    context.audit?.requested(kind, object)
    const warnings = [...found]
    const { kind: name, apiVersion } = kind
    const admitted = {
      operation: 'CREATE',
      options: writeOptionsOf('CreateOptions', options),
      dryRun: options.dryRun.length > 0,
      name: object.metadata.name ?? '',
    } as const
    const shown = await withWarningsOnErrors(warnings, async () => {
      checkNamespace(object.metadata, target)
      dedupeOwners(object.metadata, 'body', (text) => warnings.push(text))
      // A subresource belongs to an object: its metadata is compared with that object.
      if (target.subresource === '') {
        dropSystemFields(object.metadata)
        if (context.kind.namespaced && target.namespace !== '') object.metadata.namespace = target.namespace
        else delete object.metadata.namespace
      }
      orderFields(kind.type, object as unknown as JsonValue)
      const { manager } = writeOptions(options, context)
      trackCreate({ kindOf }, kind, object, manager, noFields, context.services.now(), target.subresource)
      warnings.push(...(await admitHere(context, object, admitted, ['admit'])))
      if (complete !== undefined) {
        await complete(object, context)
        orderFields(kind.type, object as unknown as JsonValue)
      }
      warnings.push(...(await admitHere(context, object, admitted, ['validate'])))
      const answered = { ...(await answerIn(kind, answer, object, context)), kind: name, apiVersion }
      return transformed(kind, answered, output, context)
    })
    const headers = new Headers({ 'content-type': output.encoding.mediaType, 'cache-control': 'no-cache, private' })
    addWarnings(headers, warnings)
    return new Response(output.encoding.value(shown), { status: 201, headers })
  }
}

/** Returns the review, or its metadata alone if the client asked for that. @throws ApiError 406 if it asked for a list */
function transformed(kind: Kind, review: Answered, output: Output, { query, services }: ResourceContext): JsonValue {
  const { representation } = viewField(output, query)
  const whole = ordered(review) as unknown as JsonValue
  if (representation === undefined) return whole
  return parseJson(show(kind, JSON.stringify(whole), representation, services.now))
}

/** Answers a review in the version of the request. Reviewers read the version in which objects of the resource are stored. */
async function answerIn(
  { conversion }: Kind,
  answer: Reviewer,
  review: KubernetesObject,
  context: ResourceContext,
): Promise<KubernetesObject> {
  if (conversion === undefined) return answer(review, context)
  return conversion.fromStorage(await answer(conversion.toStorage(review), context))
}

/** Returns the review with kind and apiVersion first, as Go encodes it. */
function ordered({ kind, apiVersion, metadata, ...rest }: Answered): object {
  return { kind, apiVersion, metadata, ...rest }
}

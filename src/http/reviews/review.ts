/** Reviews are acts and not objects: a POST is answered with what was asked and the answer in it, and nothing is kept. */

import { orderFields } from '../../catalog/field-order.ts'
import { bodyKindOf, kindOf } from '../../catalog/scheme.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { withWarningsOnErrors } from '../../meta/errors.ts'
import type { KubernetesObject, ObjectMeta } from '../../meta/object-meta.ts'
import { readCreateOptions } from '../../meta/options.ts'
import { trackCreate } from '../../registry/managed-fields.ts'
import { checkNamespace } from '../../registry/name-check.ts'
import { dedupeOwners } from '../../registry/owner-references.ts'
import { negotiateInput } from '../codec/content-type.ts'
import { negotiateOutput, noTransform } from '../codec/negotiate.ts'
import { render } from '../codec/render.ts'
import type { ResourceContext } from '../context.ts'
import { readInput } from '../verbs/body.ts'
import { decodeBody } from '../verbs/decode-body.ts'
import { addWarnings } from '../verbs/respond.ts'
import { writeOptions } from '../verbs/write-options.ts'

/**
 * Answers one kind of review.
 * @param review what was asked, decoded, with its managedFields: the answer goes into it, or is another object
 * @throws ApiError 422 where the question makes no sense
 */
export type Reviewer = (review: KubernetesObject, context: ResourceContext) => Promise<KubernetesObject>

const noFields = {}
const systemFields = ['selfLink', 'uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const

/**
 * What only the server says of an object, nobody says of a review.
 * @param namespace of the request; '' for none
 */
function ownMetadata(metadata: ObjectMeta, namespace: string): void {
  for (const field of systemFields) delete metadata[field]
  if (namespace === '') delete metadata.namespace
  else metadata.namespace = namespace
}

/** Makes the handler of a review, or of a subresource that is one. */
export function reviewed(answer: Reviewer): (context: ResourceContext) => Promise<Response> {
  return async (context) => {
    const { request, query, target } = context
    const kind = bodyKindOf(context.kind, target.subresource)
    const output = negotiateOutput(request, noTransform)
    const input = await readInput(request, negotiateInput(request.headers.get('content-type')))
    const options = readCreateOptions(query)
    const { object, warnings: found } = decodeBody(kind, input, options.fieldValidation || 'Warn')
    context.audit?.requested(kind, object)
    const warnings = [...found]
    dedupeOwners(object.metadata, warnings, 'body')
    checkNamespace(object.metadata, target)
    // A subresource is of its object: what it says of that object is held against it.
    if (target.subresource === '') ownMetadata(object.metadata, context.kind.namespaced ? target.namespace : '')
    orderFields(kind.type, object as unknown as JsonValue)
    trackCreate({ kindOf }, kind, object, writeOptions(options, context).manager, noFields, Date.now(), target.subresource)
    const { kind: name, apiVersion } = kind
    const answered = { ...(await withWarningsOnErrors(warnings, () => answer(object, context))), kind: name, apiVersion }
    const headers = new Headers({ 'content-type': output.mediaType, 'cache-control': 'no-cache, private' })
    addWarnings(headers, warnings)
    return new Response(render(ordered(answered) as unknown as JsonValue, output), { status: 201, headers })
  }
}

/** Kind and version come first, as Go writes them. */
function ordered({ kind, apiVersion, metadata, ...rest }: KubernetesObject & { kind: string; apiVersion: string }): object {
  return { kind, apiVersion, metadata, ...rest }
}

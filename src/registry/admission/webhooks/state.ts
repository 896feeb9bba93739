/** A request as webhooks match and see it. */
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { EquivalentResource } from '../matching/equivalents.ts'
import type { AdmissionAttributes, MutatingContext, ValidatingContext } from '../plugin.ts'
import { namespaceLabelsOf, policyRequestOf } from '../plugins/validating-admission-policy.ts'
import { RequestValues } from '../policy/shared/request-values.ts'
import { type ObjectVersion, versionedObject, versionedText } from '../policy/shared/versioned-objects.ts'
import type { MatchedState } from './call.ts'
import type { ReviewedObjects } from './review.ts'

/** The state of a request before a webhook. */
export interface WebhookState extends MatchedState {
  /** Returns the objects in the version in which a webhook wants them. @throws ApiError, MissingLookups */
  readonly reviewed: (matched: EquivalentResource) => ReviewedObjects
}

/**
 * Returns the state of a request.
 * @param version of the objects in this phase; a deletion's object is as it is stored
 */
export function webhookState(
  attributes: AdmissionAttributes,
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  version: ObjectVersion,
  context: Pick<MutatingContext & ValidatingContext, 'lookups' | 'kindOf' | 'warn' | 'annotate' | 'measure'>,
): WebhookState {
  const { operation } = attributes
  const { lookups, kindOf } = context
  const isDelete = operation === 'DELETE'
  const own = isDelete ? undefined : object
  const oldVersion = isDelete ? 'stored' : version
  return {
    attributes,
    objects: { object: own, old, namespaceLabels: (namespace) => namespaceLabelsOf(lookups, namespace) },
    findings: context,
    reviewed: (matched) => ({
      object: own === undefined ? undefined : versionedText(attributes, own, version, matched, kindOf),
      old: old === undefined ? undefined : versionedText(attributes, old, oldVersion, matched, kindOf),
    }),
    values: () =>
      new RequestValues(policyRequestOf(attributes), lookups, (matched) => ({
        object: own === undefined ? null : versionedObject(attributes, own, version, matched, kindOf),
        old: old === undefined ? null : versionedObject(attributes, old, oldVersion, matched, kindOf),
      })),
  }
}

/**
 * ResourceQuota: a write that would use more than the quotas of its namespace allow is rejected. It is the last plugin of the
 * validating phase, so that nothing is charged for a write that another plugin rejects. The quotas are in the control object: a
 * lookup checks them there and reserves the use, which the commit then takes. Namespaces without quotas cost nothing.
 * Follows k8s.io/apiserver/pkg/admission/plugin/resourcequota.
 */
import type { Kind } from '../../../catalog/kind.ts'
import type { QuotaRequest } from '../../../clusters/quota-messages.ts'
import type { LimitedResource } from '../../../config/admission/documents.ts'
import type { AdmissionSettings } from '../../../config/admission/settings.ts'
import { ApiError, internalError } from '../../../meta/errors.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { keyOf } from '../../stored-object.ts'
import { type AdmissionAttributes, type AdmissionHandler, type AdmissionPlugin, admissionForbidden } from '../plugin.ts'
import { evaluatorOf } from '../quota/evaluators/evaluators.ts'

/** Returns the request to the quotas; undefined if the write cannot change the use of quotas. */
function requestOf(
  { operation, kind, subresource, namespace }: AdmissionAttributes,
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  now: number,
): QuotaRequest | undefined {
  const collection = kind.storage.prefix
  const evaluator = evaluatorOf(collection)
  if ((operation !== 'CREATE' && operation !== 'UPDATE') || evaluator?.handles({ operation, subresource, object, old }) !== true)
    return undefined
  return {
    collection,
    namespace,
    subresource,
    facts: evaluator.factsOf(object, now),
    ...(old !== undefined && { old: evaluator.factsOf(old, now) }),
  }
}

/** Whether the configuration of the plugin may limit objects of the kind also in namespaces without quotas. */
function isLimitedByDefault({ storage }: Kind, { limitedResources }: AdmissionSettings): boolean {
  if (limitedResources.length === 0) return false
  const isOfKind = ({ apiGroup, resource }: LimitedResource): boolean =>
    apiGroup === storage.group && resource === storage.resource
  return limitedResources.some((limited) => isOfKind(limited) || limited.matchScopes.length > 0)
}

const validate: AdmissionHandler['validate'] = (attributes, object, old, { settings, lookups, quotas, now }) => {
  const { kind, namespace, dryRun } = attributes
  if (quotas === undefined || namespace === '') return
  const { reservations, alongside } = quotas
  if (!reservations.isLimited(kind.storage.prefix, namespace) && !isLimitedByDefault(kind, settings)) return
  const request = requestOf(attributes, object, old, now())
  if (request === undefined) return
  const { refusal, reservation } = lookups.get(reservations.lookup(request, dryRun === true))
  if (refusal?.kind === 'forbidden') throw admissionForbidden(attributes, object, refusal.why)
  if (refusal !== undefined) throw new ApiError(500, '', refusal.why)
  if (reservation === undefined) return
  if (!reservations.isUsable(reservation)) throw internalError('resource quota evaluation timed out')
  const created = old === undefined ? keyOf(kind, namespace, object.metadata.name ?? '') : undefined
  alongside(() => reservations.use(reservation, kind.storage.prefix, created))
}

export const resourceQuota: AdmissionPlugin = {
  name: 'ResourceQuota',
  handlers: [{ operations: ['CREATE', 'UPDATE'], resources: 'any', validate }],
}

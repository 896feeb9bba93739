/** CertificateSigningRequests: what is asked for stays, who approves writes conditions, who signs the certificate. */
import {
  type SigningCondition,
  type SigningRequest,
  validateApproval,
  validateSigning,
} from '../../../catalog/validation/certificates/signing-request-status.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { rfc3339Seconds } from '../../../meta/time.ts'
import type { StrategyHooks } from '../../hooks.ts'

const conditionsOf = (object: KubernetesObject): SigningCondition[] => (object as SigningRequest).status?.conditions ?? []

/** Conditions without times get them: a transition is of now unless the condition was so before. */
function setTimes(object: KubernetesObject, old: KubernetesObject, now: string): void {
  for (const condition of conditionsOf(object)) {
    condition.lastUpdateTime ??= now
    const before = conditionsOf(old).find(
      ({ type, status, lastTransitionTime = null }) =>
        type === condition.type && status === condition.status && lastTransitionTime !== null,
    )
    condition.lastTransitionTime ??= before?.lastTransitionTime ?? now
  }
}

/** Who signs leaves decisions as they are, unless there are more or fewer of them, which validation refuses. */
function keepDecisions(object: KubernetesObject, old: KubernetesObject, type: string): void {
  const conditions = conditionsOf(object)
  const before = conditionsOf(old).filter((condition) => condition.type === type)
  const now = conditions.filter((condition) => condition.type === type)
  if (before.length !== now.length) return
  for (const [index, condition] of now.entries()) {
    const kept = before[index]
    if (kept !== undefined) conditions[conditions.indexOf(condition)] = { ...kept }
  }
}

export const signingRequestHooks: StrategyHooks = {
  prepareForUpdate(object, old) {
    object.spec = old.spec
  },
  subresources: {
    approval: {
      prepareForUpdate: (object, old, { now }) => setTimes(object, old, rfc3339Seconds(now)),
      validateUpdate: (object, old) => validateApproval(object as SigningRequest, old as SigningRequest),
    },
    status: {
      prepareForUpdate(object, old, { now }) {
        keepDecisions(object, old, 'Approved')
        keepDecisions(object, old, 'Denied')
        setTimes(object, old, rfc3339Seconds(now))
      },
      validateUpdate: (object, old) => validateSigning(object as SigningRequest, old as SigningRequest),
    },
  },
}

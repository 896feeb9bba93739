/**
 * The strategy of CertificateSigningRequests: create records the user, the spec is immutable, /approval writes conditions, and
 * /status writes the certificate.
 */
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from '../../../catalog/generated/types/certificates.v1.ts'
import { validateSigningRequest } from '../../../catalog/validation/certificates/signing-request.ts'
import { validateApproval, validateSigning } from '../../../catalog/validation/certificates/signing-request-status.ts'
import { rfc3339Seconds } from '../../../go/time.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { User } from '../../../meta/user.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { withValidation } from '../with-validation.ts'

const conditionsOf = (object: KubernetesObject): CertificateSigningRequestCondition[] =>
  (object as CertificateSigningRequest).status?.conditions ?? []

/** Sets missing times of conditions. lastTransitionTime is kept if the condition had the same status before. */
function setTimes(object: KubernetesObject, old: KubernetesObject, now: string): void {
  const transitions = new Map<string, string>()
  for (const { type, status, lastTransitionTime } of conditionsOf(old)) {
    const key = `${status} ${type}`
    if (lastTransitionTime && !transitions.has(key)) transitions.set(key, lastTransitionTime)
  }
  for (const condition of conditionsOf(object)) {
    condition.lastUpdateTime ??= now
    condition.lastTransitionTime ??= transitions.get(`${condition.status} ${condition.type}`) ?? now
  }
}

/** Restores the old conditions of a type. If their number has changed, they are left for validation to reject. */
function keepDecisions(object: KubernetesObject, old: KubernetesObject, type: string): void {
  const conditions = conditionsOf(object)
  const before = conditionsOf(old).filter((condition) => condition.type === type)
  const places = conditions.flatMap((condition, place) => (condition.type === type ? [place] : []))
  if (before.length !== places.length) return
  for (const [index, kept] of before.entries()) conditions[places[index] ?? 0] = { ...kept }
}

interface SigningRequest extends KubernetesObject {
  spec: {
    request: string | null
    signerName: string
    username?: string
    uid?: string
    groups?: readonly string[]
    extra?: User['extra']
  }
}

/** Overwrites spec.username, uid, groups and extra with the authenticated user. */
function setUser({ spec }: SigningRequest, user: User | undefined): void {
  for (const name of ['username', 'uid', 'groups', 'extra'] as const) delete spec[name]
  if (user === undefined) return
  if (user.name !== '') spec.username = user.name
  if (user.uid !== '') spec.uid = user.uid
  if (user.groups.length > 0) spec.groups = [...user.groups]
  if (Object.keys(user.extra).length > 0) spec.extra = { ...user.extra }
}

export const signingRequestHooks: StrategyHooks = {
  ...withValidation(validateSigningRequest, () => []),
  prepareForCreate: (object, { user }) => setUser(object as SigningRequest, user),
  prepareForUpdate(object, old) {
    object.spec = old.spec
  },
  subresources: {
    approval: {
      prepareForUpdate: (object, old, { now }) => setTimes(object, old, rfc3339Seconds(now)),
      validateUpdate: (object, old) => validateApproval(object as CertificateSigningRequest, old as CertificateSigningRequest),
    },
    status: {
      prepareForUpdate(object, old, { now }) {
        keepDecisions(object, old, 'Approved')
        keepDecisions(object, old, 'Denied')
        setTimes(object, old, rfc3339Seconds(now))
      },
      validateUpdate: (object, old) => validateSigning(object as CertificateSigningRequest, old as CertificateSigningRequest),
    },
  },
}

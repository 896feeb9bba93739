/**
 * CertificateSigningRequests: who asks is noted, what is asked for stays, who approves writes conditions, who signs the
 * certificate.
 */
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from '../../../catalog/generated/types/certificates.v1.ts'
import { DerError } from '../../../catalog/validation/certificates/der.ts'
import { parseRequest } from '../../../catalog/validation/certificates/request.ts'
import { validateSigningRequest } from '../../../catalog/validation/certificates/signing-request.ts'
import { validateApproval, validateSigning } from '../../../catalog/validation/certificates/signing-request-status.ts'
import { isSame } from '../../../catalog/validation/checks.ts'
import { goQuote } from '../../../go/text.ts'
import { rfc3339Seconds } from '../../../go/time.ts'
import { type ApiError, forbidden } from '../../../meta/errors.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { User } from '../../../meta/user.ts'
import type { StrategyContext, StrategyHooks } from '../../hooks.ts'
import { access } from '../access.ts'
import { withValidation } from '../with-validation.ts'

const conditionsOf = (object: KubernetesObject): CertificateSigningRequestCondition[] =>
  (object as CertificateSigningRequest).status?.conditions ?? []

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

interface Asked extends KubernetesObject {
  spec: {
    request: string | null
    signerName: string
    username?: string
    uid?: string
    groups?: readonly string[]
    extra?: User['extra']
  }
}

const clientSigner = 'kubernetes.io/kube-apiserver-client'
const masters = 'system:masters'

/** What the admission plugin CertificateSubjectRestriction refuses: nobody becomes an administrator by a certificate. */
function refuseMasters(object: KubernetesObject, _old: unknown, { kind }: StrategyContext): ApiError | undefined {
  const { spec, metadata } = object as Asked
  if (spec.signerName !== clientSigner) return undefined
  const { name = '' } = metadata
  try {
    if (!parseRequest(spec.request ?? '').organizations.includes(masters)) return undefined
  } catch (error) {
    if (!(error instanceof DerError)) throw error
    return forbidden(kind, name, `failed to parse CSR: ${error.message}`)
  }
  return forbidden(kind, name, `use of ${clientSigner} signer with ${masters} group is not allowed`)
}

/** Whether what only a signer writes has changed. */
function isSigned(object: KubernetesObject, old: KubernetesObject): boolean {
  const signed = ({ status }: CertificateSigningRequest) => [status?.certificate ?? '', status?.conditions ?? []]
  return !isSame(signed(object as CertificateSigningRequest), signed(old as CertificateSigningRequest))
}

/**
 * What the admission plugins CertificateApproval and CertificateSigning refuse: who approves or signs needs a permission for the
 * signer, or for all of its domain.
 */
function refuseSigner(
  verb: 'approve' | 'sign',
  { spec, metadata }: KubernetesObject,
  context: StrategyContext,
): ApiError | undefined {
  const { signerName = '' } = spec as { readonly signerName?: string }
  const [domain = ''] = signerName.split('/', 1)
  const signer = { verb, group: 'certificates.k8s.io', version: '*', resource: 'signers' }
  if ([signerName, `${domain}/*`].some((name) => access(context, { ...signer, name }).allowed)) return undefined
  const why = `user not permitted to ${verb} requests with signerName ${goQuote(signerName)}`
  return forbidden(context.kind, metadata.name ?? '', why)
}

/** The request is of who makes it, whatever it says of that. */
function noteAsker({ spec }: Asked, user: User | undefined): void {
  for (const name of ['username', 'uid', 'groups', 'extra'] as const) delete spec[name]
  if (user === undefined) return
  if (user.name !== '') spec.username = user.name
  if (user.uid !== '') spec.uid = user.uid
  if (user.groups.length > 0) spec.groups = [...user.groups]
  if (Object.keys(user.extra).length > 0) spec.extra = { ...user.extra }
}

export const signingRequestHooks: StrategyHooks = {
  ...withValidation(validateSigningRequest, () => []),
  authorizeWrite: refuseMasters,
  prepareForCreate: (object, { user }) => noteAsker(object as Asked, user),
  prepareForUpdate(object, old) {
    object.spec = old.spec
  },
  subresources: {
    approval: {
      prepareForUpdate: (object, old, { now }) => setTimes(object, old, rfc3339Seconds(now)),
      validateUpdate: (object, old) => validateApproval(object as CertificateSigningRequest, old as CertificateSigningRequest),
      admit: (_object, old, context) => refuseSigner('approve', old, context),
    },
    status: {
      prepareForUpdate(object, old, { now }) {
        keepDecisions(object, old, 'Approved')
        keepDecisions(object, old, 'Denied')
        setTimes(object, old, rfc3339Seconds(now))
      },
      validateUpdate: (object, old) => validateSigning(object as CertificateSigningRequest, old as CertificateSigningRequest),
      admit: (object, old, context) => (isSigned(object, old) ? refuseSigner('sign', old, context) : undefined),
    },
  },
}

/** Permissions for the signers of CertificateSigningRequests. */
import { goQuote } from '../../../go/text.ts'
import type { LookupResults } from '../../../meta/lookups.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { User } from '../../../meta/user.ts'
import { access } from '../../access.ts'
import { type AdmissionAttributes, admissionForbidden, type ValidatingContext } from '../plugin.ts'

/** The client of a write, and its lookups. */
interface Client {
  /** Absent if the server itself writes. */
  readonly user?: User
  readonly lookups: LookupResults
}

/**
 * Whether the client has the permission for a signer, or for all signers of its domain.
 * @throws MissingLookups
 */
export function mayUseSigner({ user, lookups }: Client, verb: 'approve' | 'attest' | 'sign', signerName: string): boolean {
  const [domain = ''] = signerName.split('/', 1)
  const signer = { verb, group: 'certificates.k8s.io', version: '*', resource: 'signers' }
  const client = { ...(user !== undefined && { user }), lookups }
  return [signerName, `${domain}/*`].some((name) => access(client, { ...signer, name }).allowed)
}

/**
 * Requires the permission for the request's signer, or for all signers of its domain.
 * @param request the stored CertificateSigningRequest
 * @throws ApiError 403 without the permission, MissingLookups
 */
export function requireSigner(
  verb: 'approve' | 'sign',
  attributes: AdmissionAttributes,
  request: KubernetesObject,
  context: ValidatingContext,
): void {
  const { signerName = '' } = request.spec as { readonly signerName?: string }
  const { user } = attributes
  if (mayUseSigner({ ...(user !== undefined && { user }), lookups: context.lookups }, verb, signerName)) return
  const why = `user not permitted to ${verb} requests with signerName ${goQuote(signerName)}`
  throw admissionForbidden(attributes, request, why)
}

/** Permissions for the signers of CertificateSigningRequests. */
import { goQuote } from '../../../go/text.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { access } from '../../access.ts'
import { type AdmissionAttributes, admissionForbidden, type ValidatingContext } from '../plugin.ts'

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
  const [domain = ''] = signerName.split('/', 1)
  const signer = { verb, group: 'certificates.k8s.io', version: '*', resource: 'signers' }
  const { user } = attributes
  const client = { ...(user !== undefined && { user }), lookups: context.lookups }
  if ([signerName, `${domain}/*`].some((name) => access(client, { ...signer, name }).allowed)) return
  const why = `user not permitted to ${verb} requests with signerName ${goQuote(signerName)}`
  throw admissionForbidden(attributes, request, why)
}

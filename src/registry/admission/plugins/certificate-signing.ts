/** The admission plugin CertificateSigning: signing a CertificateSigningRequest needs the permission for its signer. */
import type { CertificateSigningRequest } from '../../../catalog/generated/types/certificates.v1.ts'
import { isSame } from '../../../catalog/validation/checks.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { AdmissionPlugin } from '../plugin.ts'
import { requireSigner } from './certificate-signers.ts'

/** Returns the fields that only a signer writes. */
const signedFields = (object: KubernetesObject): unknown[] => {
  const { status } = object as CertificateSigningRequest
  return [status?.certificate ?? '', status?.conditions ?? []]
}

/** Validates an UPDATE of /status. Follows the plugin of k8s.io/kubernetes. */
export const certificateSigning: AdmissionPlugin = {
  name: 'CertificateSigning',
  handlers: [
    {
      operations: ['UPDATE'],
      resources: ['certificatesigningrequests.certificates.k8s.io/status'],
      validate(attributes, object, old = object, context) {
        if (!isSame(signedFields(object), signedFields(old))) requireSigner('sign', attributes, old, context)
      },
    },
  ],
}

/** The signer of a CertificateSigningRequest needs a permission for it. */
import type { CertificateSigningRequest } from '../../../catalog/generated/types/certificates.v1.ts'
import { isSame } from '../../../catalog/validation/checks.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { AdmissionPlugin } from '../plugin.ts'
import { requireSigner } from './certificate-signers.ts'

/** The fields that only a signer writes. */
const signedFields = (object: KubernetesObject): unknown[] => {
  const { status } = object as CertificateSigningRequest
  return [status?.certificate ?? '', status?.conditions ?? []]
}

/** Runs on an UPDATE of the status, which it validates. Follows the plugin of k8s.io/kubernetes. */
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

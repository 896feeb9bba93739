/** The admission plugin CertificateApproval: approving a CertificateSigningRequest needs the permission for its signer. */
import type { AdmissionPlugin } from '../plugin.ts'
import { requireSigner } from './certificate-signers.ts'

/** Validates an UPDATE of /approval. Follows the plugin of k8s.io/kubernetes. */
export const certificateApproval: AdmissionPlugin = {
  name: 'CertificateApproval',
  handlers: [
    {
      operations: ['UPDATE'],
      resources: ['certificatesigningrequests.certificates.k8s.io/approval'],
      validate: (attributes, object, old, context) => requireSigner('approve', attributes, old ?? object, context),
    },
  ],
}

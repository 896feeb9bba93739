/** The approver of a CertificateSigningRequest needs a permission for its signer. */
import type { AdmissionPlugin } from '../plugin.ts'
import { requireSigner } from './certificate-signers.ts'

/** Runs on an UPDATE of the approval, which it validates. Follows the plugin of k8s.io/kubernetes. */
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

/** The admission plugin CertificateSubjectRestriction: rejects certificate requests for the group system:masters. */

import { parseRequest } from '../../../catalog/validation/certificates/request.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { DerError } from '../../../net/der.ts'
import { type AdmissionPlugin, admissionForbidden } from '../plugin.ts'

const clientSigner = 'kubernetes.io/kube-apiserver-client'
const masters = 'system:masters'

interface SigningRequest extends KubernetesObject {
  spec: { request: string | null; signerName: string }
}

/** Validates a CREATE of a CertificateSigningRequest. Follows the plugin of k8s.io/kubernetes. */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  handlers: [
    {
      operations: ['CREATE'],
      resources: ['certificatesigningrequests.certificates.k8s.io'],
      validate(attributes, object) {
        const { spec } = object as SigningRequest
        if (spec.signerName !== clientSigner) return
        try {
          if (!parseRequest(spec.request ?? '').organizations.includes(masters)) return
        } catch (error) {
          if (!(error instanceof DerError)) throw error
          throw admissionForbidden(attributes, object, `failed to parse CSR: ${error.message}`)
        }
        throw admissionForbidden(attributes, object, `use of ${clientSigner} signer with ${masters} group is not allowed`)
      },
    },
  ],
}

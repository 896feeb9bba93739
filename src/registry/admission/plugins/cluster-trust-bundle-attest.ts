/** The admission plugin ClusterTrustBundleAttest: a bundle of a signer needs the permission to attest for it. */
import type { ClusterTrustBundle } from '../../../catalog/generated/types/certificates.v1beta1.ts'
import { isSame } from '../../../catalog/validation/checks.ts'
import { goQuote } from '../../../go/text.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { type AdmissionPlugin, admissionForbidden } from '../plugin.ts'
import { mayUseSigner } from './certificate-signers.ts'

/** Returns an object without the fields of the garbage collector and of the server. */
function withoutCollectorFields({ metadata, ...fields }: KubernetesObject): unknown {
  const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _managers, ...rest } = metadata
  return { ...fields, metadata: { ...rest, resourceVersion: '' } }
}

/** Validates a CREATE, and an UPDATE of more than owners and finalizers. Follows the plugin of k8s.io/kubernetes. */
export const clusterTrustBundleAttest: AdmissionPlugin = {
  name: 'ClusterTrustBundleAttest',
  handlers: [
    {
      operations: ['CREATE', 'UPDATE'],
      resources: ['clustertrustbundles.certificates.k8s.io'],
      validate(attributes, object, old, { lookups }) {
        const { signerName = '' } = (object as ClusterTrustBundle).spec
        if (signerName === '') return
        if (old !== undefined && isSame(withoutCollectorFields(object), withoutCollectorFields(old))) return
        const { user } = attributes
        if (mayUseSigner({ ...(user !== undefined && { user }), lookups }, 'attest', signerName)) return
        throw admissionForbidden(attributes, object, `user not permitted to attest for signerName ${goQuote(signerName)}`)
      },
    },
  ],
}

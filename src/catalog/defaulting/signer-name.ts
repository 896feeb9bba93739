/** The signer of a certificate request without a signer. Follows k8s.io/kubernetes/pkg/apis/certificates/helpers.go. */
import { DerError } from '../../net/der.ts'
import { type AlternativeName, alternativeNames, parseRequest } from '../validation/certificates/request.ts'

const unknown = 'kubernetes.io/legacy-unknown'
const nodes = 'system:nodes'
const nodeName = 'system:node:'

/** A signer for kubelets, with the purpose and the alternative names of its certificates. */
interface KubeletSigner {
  readonly name: string
  readonly usage: string
  readonly mayName: ReadonlySet<AlternativeName>
  readonly mustName: boolean
}

/** The signers in the order in which they are tried. */
const signers: readonly KubeletSigner[] = [
  { name: 'kubernetes.io/kube-apiserver-client-kubelet', usage: 'client auth', mayName: new Set(), mustName: false },
  { name: 'kubernetes.io/kubelet-serving', usage: 'server auth', mayName: new Set(['dns', 'ip']), mustName: true },
]

function hasUsages(usages: ReadonlySet<string>, { usage }: KubeletSigner): boolean {
  const withoutRsa = usages.has('digital signature') && usages.has(usage)
  return withoutRsa && (usages.size === 2 || (usages.size === 3 && usages.has('key encipherment')))
}

/**
 * Returns the default of spec.signerName in certificates.k8s.io/v1beta1.
 * @param request spec.request, in base64
 */
export function signerName(request: string, usages: readonly string[]): string {
  try {
    const parsed = parseRequest(request)
    const { organizations, commonName } = parsed
    const names = alternativeNames(parsed)
    if (organizations.length !== 1 || organizations[0] !== nodes || !commonName.startsWith(nodeName)) return unknown
    const fits = (signer: KubeletSigner): boolean =>
      hasUsages(new Set(usages), signer) &&
      names.every((type) => signer.mayName.has(type)) &&
      (names.length > 0 || !signer.mustName)
    return signers.find(fits)?.name ?? unknown
  } catch (error) {
    if (error instanceof DerError) return unknown
    throw error
  }
}

/** The settings about kubelets: what proves this server to them, and them to this server. */
import { ownClientCertificate } from './certificates.ts'
import { authorityIn } from './front-proxy.ts'
import type { StartOptions } from './options.ts'

const clientOptions = { certificate: '--kubelet-client-certificate', key: '--kubelet-client-key' }

/** Returns the Worker's settings from the operator's files. @throws LauncherError if a file cannot be used */
export function kubeletSettings({
  kubeletClient,
  files: { kubeletAuthorities },
}: StartOptions): Readonly<Record<string, string>> {
  const client = kubeletClient && ownClientCertificate(kubeletClient, clientOptions)
  return {
    ...(client !== undefined && { KUBELET_CLIENT_CERTIFICATE: client.certificate, KUBELET_CLIENT_KEY: client.key }),
    ...(kubeletAuthorities !== undefined && {
      KUBELET_CERTIFICATE_AUTHORITY: authorityIn(kubeletAuthorities, '--kubelet-certificate-authority'),
    }),
  }
}

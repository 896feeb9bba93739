/** Other API servers and kubelets: who the server is for them, and whom of them it trusts. */
import { list } from './readers.ts'
import type { SettingTable } from './setting.ts'

export const peerSettings = {
  proxyClientCertificateFile: {
    flag: 'proxy-client-cert-file',
    value: 'FILE',
    help: ['the certificate that proves to other API servers that requests come from here, PEM (default: one is made)'],
    only: 'start',
  },
  proxyClientKeyFile: {
    flag: 'proxy-client-key-file',
    value: 'FILE',
    help: ['the private key of --proxy-client-cert-file, PEM'],
    only: 'start',
  },
  requestHeaderAuthorities: {
    flag: 'requestheader-client-ca-file',
    value: 'FILE',
    help: ['the authorities of that certificate, as those servers are told, PEM'],
    file: true,
    only: 'start',
  },
  /** The client certificate that proves to other API servers that this is the front proxy, PEM, and its key. */
  proxyClientCertificate: { variable: 'PROXY_CLIENT_CERTIFICATE', at: ['worker', 'object'] },
  proxyClientKey: { variable: 'PROXY_CLIENT_KEY', at: ['worker', 'object'], secret: true },
  /** The authority of that certificate, PEM; it is published in the ConfigMap extension-apiserver-authentication. */
  requestHeaderClientCa: { variable: 'REQUESTHEADER_CLIENT_CA', at: ['object'] },
  /** The authorities of client certificates, PEM; published in the same ConfigMap. */
  clientCa: { variable: 'CLIENT_CA', at: ['object'] },
  /** Any if empty. */
  requestHeaderAllowedNames: {
    variable: 'REQUESTHEADER_ALLOWED_NAMES',
    flag: 'requestheader-allowed-names',
    value: 'LIST',
    help: ['the common names that such a certificate may have, as those servers are told (default: any)'],
    read: list,
    at: ['object'],
  },
  kubeletClientCertificateFile: {
    flag: 'kubelet-client-certificate',
    value: 'FILE',
    help: ['the certificate for kubelets that ask for one, PEM (default: there is none)'],
    only: 'start',
  },
  kubeletClientKeyFile: {
    flag: 'kubelet-client-key',
    value: 'FILE',
    help: ['the private key of --kubelet-client-certificate, PEM'],
    only: 'start',
  },
  kubeletAuthorities: {
    flag: 'kubelet-certificate-authority',
    value: 'FILE',
    help: ['the authorities of kubelets, PEM (default: their certificates are not verified)'],
    file: true,
    only: 'start',
  },
  kubeletClientCertificate: { variable: 'KUBELET_CLIENT_CERTIFICATE', at: ['worker'] },
  kubeletClientKey: { variable: 'KUBELET_CLIENT_KEY', at: ['worker'], secret: true },
  kubeletCertificateAuthority: { variable: 'KUBELET_CERTIFICATE_AUTHORITY', at: ['worker'] },
  kubeletPreferredAddressTypes: {
    variable: 'KUBELET_PREFERRED_ADDRESS_TYPES',
    flag: 'kubelet-preferred-address-types',
    value: 'LIST',
    help: ['the types of node addresses, the preferred first', '(default {default})'],
    default: 'Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP',
    read: list,
    at: ['worker'],
  },
} as const satisfies SettingTable

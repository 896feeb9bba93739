/** The settings by which the server is the front proxy of other API servers, and by which these know it. */
import { certificatesIn } from '../net/certificates.ts'
import { frontProxyCertificate, frontProxyName, ownClientCertificate, readOwn } from './certificates.ts'
import type { DataDirectory } from './data-directory.ts'
import { LauncherError } from './launcher-error.ts'
import type { StartOptions } from './options.ts'

const clientOptions = { certificate: '--proxy-client-cert-file', key: '--proxy-client-key-file' }

/** Reads authorities. @throws LauncherError if the file does not exist, or holds none */
export function authorityIn(file: string, option: string): string {
  const found = certificatesIn(readOwn(file, option))
  if (found.length === 0) throw new LauncherError(`The file ${file} of ${option} holds no certificate in PEM.`)
  return found.join('')
}

/**
 * Returns the Worker's settings: the client certificate with its authority, from the operator's files or else from the data
 * directory, and the authorities of client certificates.
 * @throws LauncherError if a file cannot be used
 */
export async function frontProxySettings(
  directory: DataDirectory,
  { proxyClient, files }: StartOptions,
): Promise<Readonly<Record<string, string>>> {
  const { clientCertificateAuthorities: clientCa, requestHeaderAuthorities: requestHeaderCa } = files
  const clients = clientCa === undefined ? {} : { CLIENT_CA: authorityIn(clientCa, '--client-ca-file') }
  if (proxyClient === 'none') return clients
  if (proxyClient !== undefined) {
    const { certificate, key } = ownClientCertificate(proxyClient, clientOptions)
    const authority = requestHeaderCa === undefined ? '' : authorityIn(requestHeaderCa, '--requestheader-client-ca-file')
    return { ...clients, PROXY_CLIENT_CERTIFICATE: certificate, PROXY_CLIENT_KEY: key, REQUESTHEADER_CLIENT_CA: authority }
  }
  const { certificate, key, authority } = await frontProxyCertificate(directory)
  return {
    ...clients,
    PROXY_CLIENT_CERTIFICATE: certificate,
    PROXY_CLIENT_KEY: key,
    REQUESTHEADER_CLIENT_CA: authority,
    REQUESTHEADER_ALLOWED_NAMES: frontProxyName,
  }
}

/** The kubeconfig of a named cluster. */

/** The facts that a client needs. */
export interface ClusterAccess {
  readonly cluster: string
  readonly server: string
  /** The CA certificate of the server, PEM; '' if clients trust its issuer anyway. */
  readonly rootCertificate: string
  readonly token: string
}

/** Returns the kubeconfig as JSON, which is also YAML. */
export function kubeconfigOf({ cluster: name, server, rootCertificate, token }: ClusterAccess): string {
  const authority =
    rootCertificate === '' ? {} : { 'certificate-authority-data': Buffer.from(rootCertificate).toString('base64') }
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, ...authority } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  }
  return `${JSON.stringify(config, null, 2)}\n`
}

/** Decides about Secrets with ServiceAccount tokens. Pure. Follows the tokens controller of kube-controller-manager. */
import type { KubernetesObject } from '../../meta/object-meta.ts'

/** The type of these Secrets. */
export const tokenSecretType = 'kubernetes.io/service-account-token'
export const accountNameAnnotation = 'kubernetes.io/service-account.name'
export const accountUidAnnotation = 'kubernetes.io/service-account.uid'

/** A Secret; data in base64. */
export interface Secret extends KubernetesObject {
  type?: string
  data?: Record<string, string>
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Whether the Secret is for an account of this name, with any uid. */
export function isTokenOf(secret: Secret, name: string): boolean {
  return secret.type === tokenSecretType && secret.metadata.annotations?.[accountNameAnnotation] === name
}

/** Whether a key of a token Secret is missing. */
export function isIncomplete({ data = {} }: Secret, certificate: string): boolean {
  const lacks = (key: string): boolean => (data[key] ?? '') === ''
  return lacks('token') || lacks('namespace') || (certificate !== '' && data['ca.crt'] !== base64(certificate))
}

/** Whether the Secret's account does not exist, or has another uid. */
export function isOrphan({ metadata }: Secret, account: KubernetesObject | undefined): boolean {
  const uid = metadata.annotations?.[accountUidAnnotation] ?? ''
  return account === undefined || (uid !== '' && uid !== account.metadata.uid)
}

/** Returns the Secret with all its keys. An existing token is kept. */
export function completed(secret: Secret, account: KubernetesObject, certificate: string, token: string): Secret {
  const { metadata, data = {} } = secret
  const { name = '', uid = '' } = account.metadata
  const { namespace = '' } = metadata
  return {
    ...secret,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, [accountNameAnnotation]: name, [accountUidAnnotation]: uid },
    },
    data: {
      ...data,
      ...(certificate !== '' && { 'ca.crt': base64(certificate) }),
      namespace: data.namespace || base64(namespace),
      token: data.token || base64(token),
    },
  }
}

/** What a Secret that is to hold a ServiceAccount's token lacks. A pure decision. Follows the tokens controller of kube-controller-manager. */
import type { KubernetesObject } from '../../meta/object-meta.ts'

/** The type of such Secrets. */
export const tokenSecretType = 'kubernetes.io/service-account-token'
export const accountNameAnnotation = 'kubernetes.io/service-account.name'
export const accountUidAnnotation = 'kubernetes.io/service-account.uid'

/** A Secret, its data in base64. */
export interface Secret extends KubernetesObject {
  type?: string
  data?: Record<string, string>
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Whether the Secret is one of the account, which may have had another uid. */
export function isTokenOf(secret: Secret, name: string): boolean {
  return secret.type === tokenSecretType && secret.metadata.annotations?.[accountNameAnnotation] === name
}

/** Whether something of what such a Secret holds is not there. */
export function isIncomplete({ data = {} }: Secret, certificate: string): boolean {
  const lacks = (key: string): boolean => (data[key] ?? '') === ''
  return lacks('token') || lacks('namespace') || (certificate !== '' && data['ca.crt'] !== base64(certificate))
}

/** Whether the account that the Secret names is not this one: there is none, or another of the same name. */
export function isOrphan({ metadata }: Secret, account: KubernetesObject | undefined): boolean {
  const uid = metadata.annotations?.[accountUidAnnotation] ?? ''
  return account === undefined || (uid !== '' && uid !== account.metadata.uid)
}

/** The Secret with all that it is to hold. A token that it has stays. */
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

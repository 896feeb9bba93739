/**
 * The ConfigMap with the server's CA certificate in every namespace, by which Pods trust the server: created with the namespace,
 * and restored after a change or deletion. Follows root-ca-certificate-publisher of kube-controller-manager.
 */
import { kindOf } from '../../catalog/scheme.ts'
import type { Target } from '../../clusters/operation.ts'
import { PolicyCache } from '../../clusters/policy.ts'
import { ApiError } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { objectOf } from '../../registry/stored-object.ts'
import type { WritesOf } from '../admitted-writes.ts'
import type { Controller } from '../controller.ts'
import type { Kernel } from '../kernel.ts'

/** The storage key of the certificate that was last published to all namespaces. */
export const certificateKey = 'root-certificate'

/** The name of the ConfigMap, to which the projected volumes of Pods refer. */
export const rootCertificateName = 'kube-root-ca.crt'
const key = 'ca.crt'
const publisher = 'root-ca-cert-publisher'

const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.'

interface ConfigMap extends KubernetesObject {
  data?: Readonly<Record<string, string>>
}

const wanted = (namespace: string, certificate: string): string =>
  JSON.stringify({
    metadata: { name: rootCertificateName, namespace, annotations: { 'kubernetes.io/description': description } },
    data: { [key]: certificate },
  })

const targetIn = (namespace: string, name: string): Target => ({
  group: '',
  version: 'v1',
  resource: 'configmaps',
  subresource: '',
  namespace,
  name,
})

/**
 * Writes the ConfigMap with the certificate as its only key. Idempotent.
 * @param certificate '' if no certificate is published
 * @throws ApiError of a write, also that of a policy or webhook that rejects it
 */
export async function ensureRootCertificate(writesOf: WritesOf, namespace: string, certificate: string): Promise<void> {
  const kind = kindOf('', 'v1', 'configmaps')
  if (kind === undefined || certificate === '') return
  try {
    await writesOf(publisher).create(kind, targetIn(namespace, ''), wanted(namespace, certificate))
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error
    await restoreRootCertificate(writesOf, namespace, certificate)
  }
}

async function restoreRootCertificate(writesOf: WritesOf, namespace: string, certificate: string): Promise<void> {
  const kind = kindOf('', 'v1', 'configmaps')
  if (kind === undefined) return
  await writesOf(publisher).update(kind, targetIn(namespace, rootCertificateName), wanted(namespace, certificate))
}

const isPublished = ({ data = {} }: ConfigMap, certificate: string): boolean =>
  data[key] === certificate && Object.keys(data).length === 1

/** Restores these ConfigMaps. */
export const rootCertificates: Controller<Kernel> = {
  name: 'root-certificate',
  enabledBy: ['root-ca-certificate-publisher-controller'],
  rows: 'outbox/root-certificate/',
  at: { group: '', resource: 'configmaps' },
  open: ({ settings, client, store, writesOf }) => {
    const certificate = settings.rootCertificate
    return {
      keys: ({ type, object }) => {
        if (certificate === '' || !object.key.endsWith(`/${rootCertificateName}`)) return []
        if (type !== 'DELETED' && isPublished(objectOf(object) as ConfigMap, certificate)) return []
        return [object.key.split('/')[1] ?? '']
      },
      reconcile: async (namespace) => {
        const phase = await new PolicyCache(client).namespacePhase(namespace)
        if (phase !== 'Active') return 'done'
        // Policies see the request that the publisher would send: an update if the ConfigMap exists.
        const exists = store.get(`configmaps/${namespace}/${rootCertificateName}`) !== undefined
        await (exists ? restoreRootCertificate : ensureRootCertificate)(writesOf, namespace, certificate)
        return 'done'
      },
    }
  },
}

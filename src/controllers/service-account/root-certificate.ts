/**
 * Every namespace has a ConfigMap with the certificate by which Pods trust the server: made when the namespace is, and again when
 * somebody changes or deletes it. Follows the root-ca-certificate-publisher of kube-controller-manager.
 */
import { kindOf } from '../../catalog/scheme.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { PolicyCache } from '../../clusters/policy.ts'
import { ApiError } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { objectOf } from '../../registry/stored-object.ts'
import type { Controller, ControllerContext } from '../controller.ts'

/** The name of each of them, which Pods' volumes refer to. */
const name = 'kube-root-ca.crt'
const key = 'ca.crt'
const manager = 'kube-controller-manager'

const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.'

interface ConfigMap extends KubernetesObject {
  data?: Readonly<Record<string, string>>
}

const wanted = (namespace: string, certificate: string): string =>
  JSON.stringify({
    metadata: { name, namespace, annotations: { 'kubernetes.io/description': description } },
    data: { [key]: certificate },
  })

/**
 * Makes the ConfigMap say the certificate, and nothing else. Doing it again changes nothing.
 * @param certificate '' where there is nothing to publish
 */
export async function ensureRootCertificate(objects: CollectionClient, namespace: string, certificate: string): Promise<void> {
  const kind = kindOf('', 'v1', 'configmaps')
  if (kind === undefined || certificate === '') return
  const target = { group: '', version: 'v1', resource: 'configmaps', subresource: '', namespace, name }
  const write = { manager, dryRun: false }
  const text = wanted(namespace, certificate)
  try {
    await objects.perform(kind, { verb: 'create', target: { ...target, name: '' }, write }, text)
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error
    await objects.perform(kind, { verb: 'update', target, write }, text)
  }
}

/** Looks after the ConfigMaps of this name. */
export function rootCertificateController({ collections: objects, rootCertificate }: ControllerContext): Controller {
  const says = (stored: ConfigMap): boolean => {
    const { data = {} } = stored
    return data[key] === rootCertificate && Object.keys(data).length === 1
  }
  return {
    enqueue({ type, object }) {
      if (rootCertificate === '' || !object.key.endsWith(`/${name}`)) return undefined
      if (type !== 'DELETED' && says(objectOf(object) as ConfigMap)) return undefined
      return `root-certificate/${object.key.split('/')[1] ?? ''}`
    },
    reconcilers: {
      'root-certificate': async (namespace) => {
        const phase = await new PolicyCache(objects).namespacePhase(namespace)
        if (phase === 'Active') await ensureRootCertificate(objects, namespace, rootCertificate)
        return true
      },
    },
  }
}

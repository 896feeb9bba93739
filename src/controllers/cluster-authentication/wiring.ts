/**
 * Keeps the ConfigMap from which other API servers learn whom to trust: the authorities of client certificates, and the front
 * proxy with its headers. Follows the cluster authentication trust controller of k8s.io/kubernetes.
 */

import { equalValues } from '../../apply/value.ts'
import { frontProxyHeaders } from '../../auth/front-proxy/identity-headers.ts'
import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import { defaultCluster } from '../../clusters/placement.ts'
import type { ObjectSettingValues } from '../../config/settings.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { serverManager } from '../../meta/managers.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { createIn } from '../../registry/create.ts'
import { objectOf } from '../../registry/stored-object.ts'
import { updateIn } from '../../registry/update.ts'
import type { Stored } from '../../storage/store.ts'
import type { Controller } from '../controller.ts'
import type { Kernel } from '../kernel.ts'

const place = { namespace: 'kube-system', name: 'extension-apiserver-authentication' } as const
const key = `configmaps/${place.namespace}/${place.name}`

const list = (...texts: readonly string[]): string => JSON.stringify(texts)

/** Returns the ConfigMap's data; empty if the deployment has neither authority. */
export function authenticationData(
  settings: Pick<ObjectSettingValues, 'clientCa' | 'requestHeaderClientCa' | 'requestHeaderAllowedNames'>,
): Readonly<Record<string, string>> {
  const { clientCa: clients, requestHeaderClientCa: proxies, requestHeaderAllowedNames: allowed } = settings
  return {
    ...(clients !== '' && { 'client-ca-file': clients }),
    ...(proxies !== '' && {
      'requestheader-allowed-names': list(...allowed),
      'requestheader-client-ca-file': proxies,
      'requestheader-extra-headers-prefix': list(frontProxyHeaders.extraPrefix),
      'requestheader-group-headers': list(frontProxyHeaders.group),
      'requestheader-uid-headers': list(frontProxyHeaders.uid),
      'requestheader-username-headers': list(frontProxyHeaders.username),
    }),
  }
}

function configMaps(): Kind {
  const kind = kindOf('', 'v1', 'configmaps')
  if (kind === undefined) throw new Error('no kind ConfigMap')
  return kind
}

const isTrue = (existing: Stored | undefined, data: Readonly<Record<string, string>>): boolean => {
  const found = existing === undefined ? {} : ((objectOf(existing) as KubernetesObject & { data?: JsonObject }).data ?? {})
  return equalValues(found, data)
}

async function write({ registry }: Kernel, data: Readonly<Record<string, string>>): Promise<void> {
  const kind = configMaps()
  const target = { group: '', version: 'v1', resource: 'configmaps', subresource: '', ...place }
  await registry.store.write((transaction) => {
    const existing = transaction.get(key)
    if (isTrue(existing, data)) return
    const base = existing === undefined ? { metadata: { ...place } } : (objectOf(existing) as unknown as JsonObject)
    const { object } = kind.codec.decode({ ...base, data: { ...data } } as JsonObject, undefined, 'Ignore')
    const scope = { registry, transaction, kind, target, write: { manager: serverManager, dryRun: false } }
    if (existing === undefined) createIn(scope, { object })
    else updateIn(scope, { existing, object })
  })
}

/** The cluster authentication trust controller. Only the default cluster tells the authorities of the deployment. */
export const clusterAuthentication: Controller<Kernel> = {
  name: 'cluster-authentication',
  rows: 'outbox/cluster-authentication/',
  at: { group: '', resource: 'configmaps' },
  awaitedBy: 'start',
  open: (kernel) => {
    const data = kernel.cluster === defaultCluster ? authenticationData(kernel.settings) : {}
    const isWritten = (): boolean => isTrue(kernel.store.get(key), data)
    return {
      atStart: () => (isWritten() ? [] : ['']),
      keys: ({ object }) => (object.key === key ? [''] : []),
      reconcile: async () => {
        if (!isWritten()) await write(kernel, data)
        return 'done'
      },
    }
  },
}

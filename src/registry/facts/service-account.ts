/** The fields of a ServiceAccount that affect its Pods; null if it does not exist. */

import type { ServiceAccount } from '../../catalog/generated/types/core.v1.ts'
import { findObject } from '../../clusters/read-object.ts'
import { isGoTrue } from '../../go/text.ts'
import { defineFact } from './fact.ts'

export interface PodAccount {
  readonly automountServiceAccountToken?: boolean
  readonly imagePullSecrets: readonly string[]
  /** Undefined if its Pods may use all Secrets. */
  readonly mountableSecrets?: readonly string[]
}

/** The annotation of a ServiceAccount whose Pods may mount only the Secrets that it lists. */
const enforceAnnotation = 'kubernetes.io/enforce-mountable-secrets'

const names = (references: readonly { name?: string }[] = []): string[] => references.map(({ name = '' }) => name)

function podAccount({ metadata, automountServiceAccountToken, imagePullSecrets, secrets }: ServiceAccount): PodAccount {
  const enforces = isGoTrue(metadata.annotations?.[enforceAnnotation] ?? '')
  return {
    ...(automountServiceAccountToken !== undefined && { automountServiceAccountToken }),
    imagePullSecrets: names(imagePullSecrets),
    ...(enforces && { mountableSecrets: names(secrets) }),
  }
}

/** Reads an account. `default` is created on demand, so that it exists as soon as its namespace does. */
export const serviceAccount = defineFact<{ readonly namespace: string; readonly name: string }, PodAccount | null>({
  name: 'serviceAccount',
  keyOf: ({ namespace, name }) => `serviceAccount ${namespace}/${name}`,
  collection: 'serviceaccounts',
  absent: null,
  read: async (collections, { namespace, name }) => {
    const stored = await findObject<ServiceAccount>(collections, { resource: 'serviceaccounts', namespace, name })
    return stored && podAccount(stored)
  },
  create: async (host, { namespace, name }) => name === 'default' && (await host.createDefaultAccount(namespace)),
})

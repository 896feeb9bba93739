/** The lookup of a Pod's ServiceAccount. */

import type { ServiceAccount } from '../../catalog/generated/types/core.v1.ts'
import type { PodAccount } from '../../clusters/lookups.ts'
import { findObject } from '../../clusters/read-object.ts'
import { ensureDefaultServiceAccount } from '../../controllers/service-account/default-account.ts'
import { isGoTrue } from '../../go/text.ts'
import type { Resolver } from './resolver.ts'

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

/** Looks up a ServiceAccount. `default` is created on demand, so that it exists as soon as its namespace does. */
export const serviceAccount: Resolver<'serviceAccount'> = async ({ services, client, asker }, { namespace, name }) => {
  const find = (): Promise<PodAccount | undefined> =>
    services.reads.find('serviceaccounts', `${namespace}/${name}`, async () => {
      const found = await findObject<ServiceAccount>(client, { resource: 'serviceaccounts', namespace, name })
      return found && podAccount(found)
    })
  const found = await find()
  if (found !== undefined) return found
  if (name !== 'default' || (await services.policy.namespacePhase(namespace, asker)) !== 'Active') return null
  await ensureDefaultServiceAccount(client, namespace)
  return (await find()) ?? null
}

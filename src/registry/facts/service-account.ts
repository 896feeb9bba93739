/** The fact about a Pod's ServiceAccount. */

import type { ServiceAccount } from '../../catalog/generated/types/core.v1.ts'
import type { PodAccount } from '../../clusters/lookups.ts'
import { findObject } from '../../clusters/read-object.ts'
import { isGoTrue } from '../../go/text.ts'
import type { ReadFact } from './fact.ts'

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

export const serviceAccount: ReadFact<'serviceAccount'> = async (collections, { namespace, name }) => {
  const found = await findObject<ServiceAccount>(collections, { resource: 'serviceaccounts', namespace, name })
  return found === undefined ? null : podAccount(found)
}

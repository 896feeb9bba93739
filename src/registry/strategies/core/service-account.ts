/** The strategy of ServiceAccounts: only the names of secrets are kept. */
import type { ServiceAccount } from '../../../catalog/generated/types/core.v1.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { StrategyHooks } from '../../hooks.ts'

function cleanSecrets(object: KubernetesObject): void {
  const account = object as ServiceAccount
  if (account.secrets === undefined) return
  account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }))
}

export const serviceAccountHooks: StrategyHooks = { prepareForCreate: cleanSecrets, prepareForUpdate: cleanSecrets }

/** The ServiceAccount `default` of every namespace: created with the namespace, and again after its deletion. */
import { kindOf } from '../../catalog/scheme.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { ApiError } from '../../meta/errors.ts'

const manager = 'kube-controller-manager'

/**
 * Creates the account. Idempotent.
 * @throws ApiError unless it already exists
 */
export async function ensureDefaultServiceAccount(objects: CollectionClient, namespace: string): Promise<void> {
  const kind = kindOf('', 'v1', 'serviceaccounts')
  if (kind === undefined) return
  const target = { group: '', version: 'v1', resource: 'serviceaccounts', subresource: '', namespace, name: '' }
  const object = JSON.stringify({ metadata: { name: 'default', namespace } })
  try {
    await objects.performWithoutAnswer(kind, { verb: 'create', target, write: { manager, dryRun: false } }, object)
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error
  }
}

/** Every namespace has a ServiceAccount named `default`: made when the namespace is, and again when it is deleted. */
import { kindOf } from '../../catalog/scheme.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { ApiError } from '../../meta/errors.ts'

const manager = 'kube-controller-manager'

/**
 * Makes the account. Doing it again changes nothing.
 * @throws ApiError of other refusals than that it is there
 */
export async function ensureDefaultServiceAccount(objects: CollectionClient, namespace: string): Promise<void> {
  const kind = kindOf('', 'v1', 'serviceaccounts')
  if (kind === undefined) return
  const target = { group: '', version: 'v1', resource: 'serviceaccounts', subresource: '', namespace, name: '' }
  const object = JSON.stringify({ metadata: { name: 'default', namespace } })
  try {
    await objects.perform(kind, { verb: 'create', target, write: { manager, dryRun: false } }, object)
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error
  }
}

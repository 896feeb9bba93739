/** Every namespace has a ServiceAccount named `default`: made by the control object when the namespace is. */
import { kindOf } from '../catalog/catalogue.ts'
import type { Objects } from '../clusters/objects.ts'
import { defaultCluster } from '../clusters/placement.ts'
import { ApiError } from '../meta/errors.ts'

const manager = 'kube-controller-manager'

/**
 * Makes the account. Doing it again changes nothing.
 * @throws ApiError of other refusals than that it is there
 */
export async function ensureDefaultServiceAccount(objects: Objects, namespace: string): Promise<void> {
  const kind = kindOf('', 'v1', 'serviceaccounts')
  if (kind === undefined) return
  const target = { group: '', version: 'v1', resource: 'serviceaccounts', subresource: '', namespace, name: '' }
  const object = JSON.stringify({ metadata: { name: 'default', namespace } })
  try {
    await objects.perform(defaultCluster, kind, { verb: 'create', target, write: { manager, dryRun: false } }, object)
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error
  }
}

/** The ServiceAccount `default` of every namespace: created with the namespace, and again after its deletion. */
import { kindOf } from '../../catalog/scheme.ts'
import { ApiError } from '../../meta/errors.ts'
import type { WritesOf } from '../admitted-writes.ts'

/**
 * Creates the account as service-account-controller of kube-controller-manager. Idempotent.
 * @throws ApiError unless it already exists: also that of a policy or webhook that rejects it
 */
export async function ensureDefaultServiceAccount(writesOf: WritesOf, namespace: string): Promise<void> {
  const kind = kindOf('', 'v1', 'serviceaccounts')
  if (kind === undefined) return
  const target = { group: '', version: 'v1', resource: 'serviceaccounts', subresource: '', namespace, name: '' }
  const object = JSON.stringify({ metadata: { name: 'default', namespace } })
  try {
    await writesOf('service-account-controller').create(kind, target, object)
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error
  }
}

/**
 * Creates the account for a request that needs it before the controller has created it.
 * @returns false if it cannot be created: the request then fails as if the controller had not been able to
 */
export async function createdOnDemand(writesOf: WritesOf, namespace: string): Promise<boolean> {
  try {
    await ensureDefaultServiceAccount(writesOf, namespace)
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

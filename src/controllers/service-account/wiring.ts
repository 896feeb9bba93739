/** What follows from the deletion of a ServiceAccount: its tokens go, and a namespace's `default` comes back. */
import { kindOf } from '../../catalog/catalogue.ts'
import type { Operation, Target } from '../../clusters/operation.ts'
import { PolicyCache } from '../../clusters/policy.ts'
import { findObject } from '../../clusters/read-object.ts'
import { ApiError } from '../../meta/errors.ts'
import type { Controller, Surroundings } from '../controller.ts'
import { isOrphan, isTokenOf, type Secret, tokenSecretType } from '../token-secrets/reconcile.ts'
import { ensureDefaultServiceAccount } from './default-account.ts'

const tokenSecrets = {
  labelSelector: '',
  fieldSelector: `type=${tokenSecretType}`,
  resourceVersion: '',
  resourceVersionMatch: '',
  continue: '',
  limit: 0,
} as const

/** Deletes the Secrets with tokens of an account that is gone. */
async function deleteTokens({ objects, cluster }: Surroundings, namespace: string, name: string): Promise<void> {
  const kind = kindOf('', 'v1', 'secrets')
  if (kind === undefined) return
  const target: Target = { group: '', version: 'v1', resource: 'secrets', subresource: '', namespace, name: '' }
  const list = await objects.perform(cluster, kind, { verb: 'list', target, list: tokenSecrets })
  const { items } = (await list.json()) as { readonly items: readonly Secret[] }
  const account = await findObject(objects, cluster, { resource: 'serviceaccounts', namespace, name })
  for (const secret of items.filter((one) => isTokenOf(one, name) && isOrphan(one, account))) {
    const { uid, name: ofSecret = '' } = secret.metadata
    const operation: Operation = {
      verb: 'delete',
      target: { ...target, name: ofSecret },
      delete: { ...(uid !== undefined && { uid }) },
      dryRun: false,
    }
    await objects.perform(cluster, kind, operation).catch((error: unknown) => {
      // Somebody was faster.
      if (!(error instanceof ApiError) || (error.code !== 404 && error.code !== 409)) throw error
    })
  }
}

/** Looks after what is left behind by accounts of the collection. */
export function serviceAccountController(surroundings: Surroundings): Controller {
  const { objects, cluster, enabled } = surroundings
  return {
    noticed({ type, object }) {
      const [, namespace = '', name = ''] = object.key.split('/')
      return type === 'DELETED' ? `account-deleted/${namespace}/${name}` : undefined
    },
    works: {
      'account-deleted': async (place) => {
        const [namespace = '', name = ''] = place.split('/')
        const phase = await new PolicyCache(objects, cluster).namespacePhase(namespace)
        // A namespace that goes takes its Secrets along.
        if (phase !== 'Active') return true
        if (enabled.has('serviceaccount-token-controller')) await deleteTokens(surroundings, namespace, name)
        if (name === 'default' && enabled.has('serviceaccount-controller'))
          await ensureDefaultServiceAccount(objects, cluster, namespace)
        return true
      },
    },
  }
}

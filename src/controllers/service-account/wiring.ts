/** What follows from the deletion of a ServiceAccount: its tokens go, and a namespace's `default` comes back. */
import { kindOf } from '../../catalog/scheme.ts'
import type { Operation, Target } from '../../clusters/operation.ts'
import { PolicyCache } from '../../clusters/policy.ts'
import { findObject } from '../../clusters/read-object.ts'
import { ApiError } from '../../meta/errors.ts'
import type { Controller, ControllerContext } from '../controller.ts'
import type { Batch } from '../outbox.ts'
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

const secretsIn = (namespace: string): Target => ({
  group: '',
  version: 'v1',
  resource: 'secrets',
  subresource: '',
  namespace,
  name: '',
})

/** What the accounts ask for that are looked at together: many go at once, with a common owner. */
class SharedAnswers {
  readonly policy: PolicyCache
  readonly #surroundings: ControllerContext
  readonly #secrets = new Map<string, readonly Secret[]>()

  constructor(surroundings: ControllerContext) {
    this.#surroundings = surroundings
    this.policy = new PolicyCache(surroundings.collections)
  }

  /** The Secrets with tokens of a namespace. */
  async secretsIn(namespace: string): Promise<readonly Secret[]> {
    let secrets = this.#secrets.get(namespace)
    if (secrets === undefined) {
      secrets = await this.#list(namespace)
      this.#secrets.set(namespace, secrets)
    }
    return secrets
  }

  async #list(namespace: string): Promise<readonly Secret[]> {
    const objects = this.#surroundings.collections
    const kind = kindOf('', 'v1', 'secrets')
    if (kind === undefined) return []
    const list = await objects.perform(kind, { verb: 'list', target: secretsIn(namespace), list: tokenSecrets })
    return ((await list.json()) as { readonly items: readonly Secret[] }).items
  }
}

/** Deletes the Secrets with tokens of an account that is gone. */
async function deleteTokens(
  { collections: objects }: ControllerContext,
  answers: SharedAnswers,
  namespace: string,
  name: string,
): Promise<void> {
  const kind = kindOf('', 'v1', 'secrets')
  const secrets = (await answers.secretsIn(namespace)).filter((secret) => isTokenOf(secret, name))
  if (kind === undefined || secrets.length === 0) return
  const account = await findObject(objects, { resource: 'serviceaccounts', namespace, name })
  for (const { metadata } of secrets.filter((secret) => isOrphan(secret, account))) {
    const { uid, name: ofSecret = '' } = metadata
    const operation: Operation = {
      verb: 'delete',
      target: { ...secretsIn(namespace), name: ofSecret },
      delete: { ...(uid !== undefined && { uid }) },
      dryRun: false,
    }
    await objects.perform(kind, operation).catch((error: unknown) => {
      // Somebody was faster.
      if (!(error instanceof ApiError) || (error.code !== 404 && error.code !== 409)) throw error
    })
  }
}

/** Looks after what is left behind by accounts of the collection. */
export function serviceAccountController(surroundings: ControllerContext): Controller {
  const { collections: objects, enabled } = surroundings
  const shared = new WeakMap<Batch, SharedAnswers>()
  return {
    enqueue({ type, object }) {
      const [, namespace = '', name = ''] = object.key.split('/')
      return type === 'DELETED' ? `account-deleted/${namespace}/${name}` : undefined
    },
    reconcilers: {
      'account-deleted': async (place, drain) => {
        const [namespace = '', name = ''] = place.split('/')
        const answers = shared.get(drain) ?? new SharedAnswers(surroundings)
        shared.set(drain, answers)
        const phase = await answers.policy.namespacePhase(namespace)
        // A namespace that goes takes its Secrets along.
        if (phase !== 'Active') return true
        if (enabled.has('serviceaccount-token-controller')) await deleteTokens(surroundings, answers, namespace, name)
        if (name === 'default' && enabled.has('serviceaccount-controller')) await ensureDefaultServiceAccount(objects, namespace)
        return true
      },
    },
  }
}

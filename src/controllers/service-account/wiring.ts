/** Reacts to deleted ServiceAccounts: deletes their token Secrets, and recreates the namespace's `default`. */
import { kindOf } from '../../catalog/scheme.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import type { Target } from '../../clusters/operation.ts'
import { PolicyCache } from '../../clusters/policy.ts'
import { findObject, listObjects } from '../../clusters/read-object.ts'
import { ApiError } from '../../meta/errors.ts'
import type { Controller, Drain } from '../controller.ts'
import type { Kernel } from '../kernel.ts'
import { isOrphan, isTokenOf, type Secret, tokenSecretType } from '../token-secrets/reconcile.ts'
import { ensureDefaultServiceAccount } from './default-account.ts'

const secretsIn = (namespace: string): Target => ({
  group: '',
  version: 'v1',
  resource: 'secrets',
  subresource: '',
  namespace,
  name: '',
})

/** The facts that all deleted accounts of one drain share: many are deleted at once, for example with a common owner. */
class SharedFacts {
  readonly policy: PolicyCache
  readonly #client: CollectionClient
  readonly #secrets = new Map<string, readonly Secret[]>()

  constructor({ client }: Kernel) {
    this.#client = client
    this.policy = new PolicyCache(client)
  }

  /** Returns the token Secrets of a namespace. */
  async secretsIn(namespace: string): Promise<readonly Secret[]> {
    const known = this.#secrets.get(namespace)
    if (known !== undefined) return known
    const secrets: Secret[] = []
    const listed = listObjects<Secret>(this.#client, { resource: 'secrets', namespace }, `type=${tokenSecretType}`)
    for await (const secret of listed) secrets.push(secret)
    this.#secrets.set(namespace, secrets)
    return secrets
  }
}

/**
 * Deletes the token Secrets of a deleted account.
 * @throws ApiError of the last one that could not be deleted; the others are deleted
 */
async function deleteTokens(
  { client: objects, writesOf }: Kernel,
  facts: SharedFacts,
  namespace: string,
  name: string,
): Promise<void> {
  const kind = kindOf('', 'v1', 'secrets')
  const secrets = (await facts.secretsIn(namespace)).filter((secret) => isTokenOf(secret, name))
  if (kind === undefined || secrets.length === 0) return
  const account = await findObject(objects, { resource: 'serviceaccounts', namespace, name })
  const writes = writesOf('tokens-controller')
  const admission = (await writes.admission())(kind, 'DELETE')
  let failure: unknown
  for (const { metadata } of secrets.filter((secret) => isOrphan(secret, account))) {
    const { uid, name: ofSecret = '' } = metadata
    const target = { ...secretsIn(namespace), name: ofSecret }
    const options = uid === undefined ? {} : { uid }
    const deletion =
      admission === undefined
        ? objects.performWithoutAnswer(kind, { verb: 'delete', target, delete: options, dryRun: false })
        : writes.remove(kind, target, options, admission)
    await deletion.catch((error: unknown) => {
      // Another request deleted or changed it first.
      if (!(error instanceof ApiError) || (error.code !== 404 && error.code !== 409)) failure = error
    })
  }
  if (failure !== undefined) throw failure
}

/** Reacts to deleted ServiceAccounts. */
export const deletedAccounts: Controller<Kernel> = {
  name: 'account-deleted',
  enabledBy: ['serviceaccount-controller', 'serviceaccount-token-controller'],
  rows: 'outbox/account-deleted/',
  at: { group: '', resource: 'serviceaccounts' },
  open: (kernel) => {
    const { writesOf, controllers } = kernel
    const shared = new WeakMap<Drain, SharedFacts>()
    return {
      keys: ({ type, object }) => (type === 'DELETED' ? [object.key.slice('serviceaccounts/'.length)] : []),
      reconcile: async (place, drain) => {
        const [namespace = '', name = ''] = place.split('/')
        const facts = shared.get(drain) ?? new SharedFacts(kernel)
        shared.set(drain, facts)
        const phase = await facts.policy.namespacePhase(namespace)
        // The Secrets of a terminating namespace are deleted with it.
        if (phase !== 'Active') return 'done'
        try {
          if (controllers.has('serviceaccount-token-controller')) await deleteTokens(kernel, facts, namespace, name)
        } finally {
          if (name === 'default' && controllers.has('serviceaccount-controller'))
            await ensureDefaultServiceAccount(writesOf, namespace)
        }
        return 'done'
      },
    }
  },
}

/** Fills Secrets that request a ServiceAccount token, and deletes those whose account does not exist. */
import { legacyClaims } from '../../auth/service-accounts/claims.ts'
import { TokenKeys } from '../../auth/service-accounts/token-keys.ts'
import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import type { Target } from '../../clusters/operation.ts'
import { findObject } from '../../clusters/read-object.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { removeIn } from '../../registry/delete.ts'
import { objectOf } from '../../registry/stored-object.ts'
import { updateIn } from '../../registry/update.ts'
import type { Stored, Transaction } from '../../storage/store.ts'
import type { Controller } from '../controller.ts'
import type { Kernel } from '../kernel.ts'
import { accountNameAnnotation, completed, isIncomplete, isOrphan, type Secret, tokenSecretType } from './reconcile.ts'

const manager = 'kube-controller-manager'

function secretKind(): Kind {
  const kind = kindOf('', 'v1', 'secrets')
  if (kind === undefined) throw new Error('no kind Secret')
  return kind
}

const targetOf = ({ metadata: { namespace = '', name = '' } }: Secret): Target => ({
  group: '',
  version: 'v1',
  resource: 'secrets',
  subresource: '',
  namespace,
  name,
})

const secretOf = (stored: Stored | undefined): Secret | undefined =>
  stored === undefined ? undefined : (objectOf(stored) as Secret)

/** Writes to Secrets of one cluster. */
function secretWrites({ client, settings, registry, writesOf }: Kernel) {
  const keys = new TokenKeys(client)
  const writes = writesOf('tokens-controller')
  const rootCertificate = settings.rootCertificate

  /** Changes the Secret if its uid is unchanged. */
  const change = (key: string, secret: Secret, by: (transaction: Transaction, stored: Stored) => void): Promise<void> =>
    registry.store.write((transaction) => {
      const stored = transaction.get(key)
      if (stored !== undefined && secretOf(stored)?.metadata.uid === secret.metadata.uid) by(transaction, stored)
    })

  return {
    async fill(key: string, secret: Secret, account: KubernetesObject): Promise<void> {
      if (!isIncomplete(secret, rootCertificate)) return
      const { namespace = '', name = '', uid = '' } = account.metadata
      const token = await keys.sign(legacyClaims({ namespace, name, uid }, secret.metadata.name ?? ''))
      const admission = (await writes.admission())(secretKind(), 'UPDATE')
      if (admission !== undefined) {
        const object = completed(secret, account, rootCertificate, token)
        return writes.update(secretKind(), targetOf(secret), JSON.stringify(object))
      }
      await change(key, secret, (transaction, stored) => {
        const object = completed(objectOf(stored) as Secret, account, rootCertificate, token)
        const target = targetOf(object)
        const write = { manager, dryRun: false }
        updateIn({ registry, transaction, kind: secretKind(), target, write }, { existing: stored, object })
      })
    },
    async remove(key: string, secret: Secret): Promise<void> {
      const admission = (await writes.admission())(secretKind(), 'DELETE')
      const { uid } = secret.metadata
      if (admission !== undefined)
        return writes.remove(secretKind(), targetOf(secret), uid === undefined ? {} : { uid }, admission)
      await change(key, secret, (transaction, existing) =>
        removeIn({ registry, transaction, kind: secretKind() }, { existing, options: {}, dryRun: false }),
      )
    },
  }
}

/** Fills the Secrets of ServiceAccounts with tokens. */
export const tokenSecrets: Controller<Kernel> = {
  name: 'token-secret',
  enabledBy: ['serviceaccount-token-controller'],
  rows: 'outbox/token-secret/',
  at: { group: '', resource: 'secrets' },
  open: (kernel) => {
    const writes = secretWrites(kernel)
    return {
      keys: ({ type, object }) => {
        // A search in the text is a quick check: most Secrets have other types.
        if (type === 'DELETED' || !object.value.includes(tokenSecretType)) return []
        return (objectOf(object) as Secret).type === tokenSecretType ? [object.key] : []
      },
      reconcile: async (key) => {
        const secret = secretOf(kernel.store.get(key))
        if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return 'done'
        const { namespace = '', annotations = {} } = secret.metadata
        const name = annotations[accountNameAnnotation] ?? ''
        const account = await findObject(kernel.client, { resource: 'serviceaccounts', namespace, name })
        if (account === undefined || isOrphan(secret, account)) await writes.remove(key, secret)
        else await writes.fill(key, secret, account)
        return 'done'
      },
    }
  },
}

/** What has to be known of other collections before an object is created: asked by the Worker, for a commit asks nobody. */

import type { ServiceAccount } from '../../auth/service-accounts/account-cache.ts'
import { unclassed } from '../../catalog/shapes/priority-class.ts'
import type { PodAccount, WriteOptions } from '../../clusters/operation.ts'
import { ensureDefaultServiceAccount } from '../../controllers/service-account/default-account.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { isGoTrue } from '../../go/text.ts'
import { accountNameOf } from '../../registry/strategies/core/pod-account.ts'
import type { ResourceContext } from '../context.ts'

type Found = Pick<WriteOptions, 'account' | 'priority'>
type Lookup = (context: ResourceContext, spec: JsonObject) => Promise<Found>

/** The annotation of an account whose Pods may use the Secrets alone that it lists. */
const enforceAnnotation = 'kubernetes.io/enforce-mountable-secrets'

const names = (references: readonly { name?: string }[] = []): string[] => references.map(({ name = '' }) => name)

/** The account as operations carry it. */
export function podAccount({ metadata, automountServiceAccountToken, imagePullSecrets, secrets }: ServiceAccount): PodAccount {
  const enforces = isGoTrue(metadata.annotations?.[enforceAnnotation] ?? '')
  return {
    ...(automountServiceAccountToken !== undefined && { automountServiceAccountToken }),
    imagePullSecrets: names(imagePullSecrets),
    ...(enforces && { mountableSecrets: names(secrets) }),
  }
}

const isText = (value: JsonValue | undefined): value is string => typeof value === 'string'

/** The account of a Pod. The one of its namespace's Pods that name none is there as soon as the namespace is. */
async function accountOfPod({ server, target }: ResourceContext, spec: JsonObject): Promise<Found> {
  const said = Object.entries(spec).filter(([field, value]) => field.startsWith('serviceAccount') && isText(value))
  const name = accountNameOf(Object.fromEntries(said))
  const { namespace } = target
  const found = await server.accounts.find(namespace, name)
  if (found !== undefined) return { account: podAccount(found) }
  if (name !== 'default') return { account: null }
  await ensureDefaultServiceAccount(server.collections, namespace)
  const made = await server.accounts.find(namespace, name)
  return { account: made === undefined ? null : podAccount(made) }
}

/** The priority of a Pod. Whoever makes a class here and then a Pod of it finds the class. */
async function priorityOfPod({ server }: ResourceContext, { priorityClassName }: JsonObject): Promise<Found> {
  const name = isText(priorityClassName) ? priorityClassName : ''
  const priority = await server.policy.answer(
    ({ priorityClasses: { byName, default: fallback = unclassed } }) => {
      if (name === '') return fallback
      return Object.hasOwn(byName, name) ? byName[name] : undefined
    },
    (found) => found !== undefined,
  )
  return { priority: priority ?? null }
}

async function ofPod(context: ResourceContext, spec: JsonObject): Promise<Found> {
  const [account, priority] = await Promise.all([accountOfPod(context, spec), priorityOfPod(context, spec)])
  return { ...account, ...priority }
}

const lookups: Readonly<Record<string, Lookup>> = { pods: ofPod }

const none: Found = {}

/** What the object's admission has to know. The object may be a client's as it was sent: nothing of it is sure. */
export async function lookedUp(context: ResourceContext, object: JsonValue): Promise<Found> {
  const lookup = lookups[context.kind.storage.prefix]
  if (lookup === undefined || context.target.subresource !== '') return none
  const { spec = null } = isObject(object) ? object : {}
  return lookup(context, isObject(spec) ? spec : {})
}

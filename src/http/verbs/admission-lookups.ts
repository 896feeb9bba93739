/** What has to be known of other collections before an object is created: asked by the Worker, for a commit asks nobody. */

import { isObject } from '../../apply/value.ts'
import type { PodAccount, WriteOptions } from '../../clusters/operation.ts'
import { findObject } from '../../clusters/read-object.ts'
import { ensureDefaultServiceAccount } from '../../controllers/service-account/default-account.ts'
import { isGoTrue } from '../../meta/go-text.ts'
import type { JsonObject, JsonValue } from '../../meta/json-value.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { accountNameOf } from '../../registry/strategies/core/pod-account.ts'
import type { ResourceContext } from '../context.ts'

type Found = Pick<WriteOptions, 'account'>
type Lookup = (context: ResourceContext, spec: JsonObject) => Promise<Found>

interface ServiceAccount extends KubernetesObject {
  automountServiceAccountToken?: boolean
  imagePullSecrets?: { name?: string }[]
  secrets?: { name?: string }[]
}

/** The annotation of an account whose Pods may use the Secrets alone that it lists. */
const enforceAnnotation = 'kubernetes.io/enforce-mountable-secrets'

const names = (references: readonly { name?: string }[] = []): string[] => references.map(({ name = '' }) => name)

function podAccount({ metadata, automountServiceAccountToken, imagePullSecrets, secrets }: ServiceAccount): PodAccount {
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
  const { objects, cluster } = server
  const said = Object.entries(spec).filter(([field, value]) => field.startsWith('serviceAccount') && isText(value))
  const name = accountNameOf(Object.fromEntries(said))
  const { namespace } = target
  const find = (): Promise<ServiceAccount | undefined> =>
    findObject(objects, cluster, { resource: 'serviceaccounts', namespace, name })
  const found = await find()
  if (found !== undefined || name !== 'default') return { account: found === undefined ? null : podAccount(found) }
  await ensureDefaultServiceAccount(objects, cluster, namespace)
  const made = await find()
  return { account: made === undefined ? null : podAccount(made) }
}

const lookups: Readonly<Record<string, Lookup>> = { pods: accountOfPod }

const none: Found = {}

/** What the object's admission has to know. The object may be a client's as it was sent: nothing of it is sure. */
export async function lookedUp(context: ResourceContext, object: JsonValue): Promise<Found> {
  const lookup = lookups[context.kind.storage.prefix]
  if (lookup === undefined || context.target.subresource !== '') return none
  const { spec = null } = isObject(object) ? object : {}
  return lookup(context, isObject(spec) ? spec : {})
}

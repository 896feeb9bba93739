/** Gives aggregated ClusterRoles their rules, whenever ClusterRoles have changed and once at the start. */
import { kindOf } from '../../catalog/catalogue.ts'
import type { Kind } from '../../catalog/kind.ts'
import { parseJson } from '../../meta/json.ts'
import type { JsonObject } from '../../meta/json-value.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { Registry } from '../../registry/registry.ts'
import { objectOf, shownValue } from '../../registry/stored-object.ts'
import { updateIn } from '../../registry/update.ts'
import type { Stored, Transaction } from '../../storage/store.ts'
import { type Aggregated, reconcile } from './reconcile.ts'

const manager = 'clusterrole-aggregation-controller'
const group = 'rbac.authorization.k8s.io'
const resource = 'clusterroles'

/** How the keys begin whose changes are of interest. */
export const aggregationPrefix = `${resource}.${group}/`

const pageRows = 500

function clusterRoleKind(): Kind {
  const kind = kindOf(group, 'v1', resource)
  if (kind === undefined) throw new Error('no kind ClusterRole')
  return kind
}

/** All ClusterRoles, in the order of their names. */
function* rolesIn({ store }: Registry): Generator<Stored> {
  for (let after = ''; ; ) {
    const page = store.list({ prefix: aggregationPrefix, after, limit: pageRows, resourceVersion: store.resourceVersion })
    yield* page.items
    if (!page.more) return
    after = page.items.at(-1)?.key ?? after
  }
}

function writeIn(registry: Registry, transaction: Transaction, existing: Stored, { name, rules }: Aggregated): void {
  const kind = clusterRoleKind()
  const object = parseJson(shownValue(kind, existing.value)) as JsonObject
  object.rules = structuredClone(rules) as unknown as JsonObject[]
  const target = { group, version: 'v1', resource, subresource: '', namespace: '', name }
  const write = { manager, dryRun: false }
  updateIn(registry, transaction, kind, target, write, existing, object as unknown as KubernetesObject)
}

/** One look at all ClusterRoles. Where nothing is to be written, nothing is waited for. */
export async function aggregateClusterRoles(registry: Registry): Promise<void> {
  const look = (): Aggregated[] => reconcile([...rolesIn(registry)].map(objectOf))
  if (look().length === 0) return
  await registry.store.write((transaction) => {
    for (const change of look()) {
      const existing = transaction.get(aggregationPrefix + change.name)
      if (existing !== undefined) writeIn(registry, transaction, existing, change)
    }
  })
}

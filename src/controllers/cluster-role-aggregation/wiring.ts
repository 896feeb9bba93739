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

/** All ClusterRoles as the transaction sees them. */
function* rolesIn({ store }: Registry, transaction: Transaction): Generator<Stored> {
  for (let after = ''; ; ) {
    const page = store.list({ prefix: aggregationPrefix, after, limit: pageRows, resourceVersion: store.resourceVersion })
    for (const { key } of page.items) {
      const stored = transaction.get(key)
      if (stored !== undefined) yield stored
    }
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

/** One look at all ClusterRoles. */
export async function aggregateClusterRoles(registry: Registry): Promise<void> {
  await registry.store.write((transaction) => {
    const stored = [...rolesIn(registry, transaction)]
    for (const change of reconcile(stored.map(objectOf))) {
      const existing = stored.find(({ key }) => key === aggregationPrefix + change.name)
      if (existing !== undefined) writeIn(registry, transaction, existing, change)
    }
  })
}

/** Writes the rules of aggregated ClusterRoles, after each change of ClusterRoles. */

import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { applyIn } from '../../registry/apply.ts'
import type { Registry } from '../../registry/registry.ts'
import { objectOf } from '../../registry/stored-object.ts'
import type { Stored, Transaction } from '../../storage/store.ts'
import type { ControlContext } from '../control-context.ts'
import type { Controller } from '../controller.ts'
import { type Aggregated, manager, reconcile } from './reconcile.ts'

const group = 'rbac.authorization.k8s.io'
const resource = 'clusterroles'

const prefix = `${resource}.${group}/`

const pageRows = 500

function clusterRoleKind(): Kind {
  const kind = kindOf(group, 'v1', resource)
  if (kind === undefined) throw new Error('no kind ClusterRole')
  return kind
}

/** Yields all ClusterRoles, sorted by name. */
function* rolesIn({ store }: Registry): Generator<Stored> {
  for (let after = ''; ; ) {
    const page = store.list({ prefix: prefix, after, limit: pageRows, resourceVersion: store.resourceVersion })
    yield* page.items
    if (!page.more) return
    after = page.items.at(-1)?.key ?? after
  }
}

/**
 * Applies the rules with server-side apply, as the upstream controller does: it owns the rules and nothing else of the role. If it
 * selects none, it no longer owns them.
 */
function writeIn(registry: Registry, transaction: Transaction, { name, rules }: Aggregated): void {
  const kind = clusterRoleKind()
  const owned = rules.length === 0 ? {} : { rules: structuredClone(rules) }
  const wanted = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name }, ...owned }
  const target = { group, version: 'v1', resource, subresource: '', namespace: '', name }
  const configuration = wanted as unknown as JsonObject
  applyIn({ registry, transaction, kind, target, write: { manager, dryRun: false } }, { configuration, force: true })
}

/** Reconciles all ClusterRoles once. Returns without waiting if nothing has to be written. */
async function aggregateClusterRoles(registry: Registry): Promise<void> {
  const decide = (): Aggregated[] => reconcile([...rolesIn(registry)].map(objectOf))
  if (decide().length === 0) return
  await registry.store.write((transaction) => {
    for (const change of decide()) {
      if (transaction.get(prefix + change.name) !== undefined) writeIn(registry, transaction, change)
    }
  })
}

/** The controller of ClusterRoles. Requests wait for the rules by which they are authorized. */
export const clusterRoleAggregation: Controller<ControlContext> = {
  name: 'cluster-role-aggregation',
  enabledBy: ['clusterrole-aggregation-controller'],
  rows: 'workqueue/cluster-role-aggregation',
  watches: [prefix],
  awaitedBy: 'start',
  open: ({ kernel: { registry } }) => ({
    missed: () => [''],
    reconcile: async () => {
      await aggregateClusterRoles(registry)
      return 'done'
    },
  }),
}

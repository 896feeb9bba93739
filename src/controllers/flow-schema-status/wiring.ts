/** Writes to each FlowSchema whether its priority level exists, after each change of either and once at the start. */
import { kindOf } from '../../catalog/scheme.ts'
import { rfc3339Seconds } from '../../go/time.ts'
import { ApiError } from '../../meta/errors.ts'
import { apply } from '../../registry/apply.ts'
import { listUnder } from '../../registry/list/all.ts'
import { flowSchemaPrefix, priorityLevelPrefix } from '../../registry/policy/flow-control.ts'
import type { Registry } from '../../registry/registry.ts'
import { type Dangling, reconcile } from './reconcile.ts'

const manager = 'api-priority-and-fairness-config-consumer-v1'
const group = 'flowcontrol.apiserver.k8s.io'
const apiVersion = `${group}/v1`

/** The key prefixes whose changes trigger a reconcile. */
export const flowControlPrefixes: readonly string[] = [flowSchemaPrefix, priorityLevelPrefix]

async function write(registry: Registry, { name, condition }: Dangling): Promise<void> {
  const kind = kindOf(group, 'v1', 'flowschemas')
  if (kind === undefined) throw new Error('no kind FlowSchema')
  const target = { group, version: 'v1', resource: 'flowschemas', subresource: 'status', namespace: '', name }
  const text = JSON.stringify({ apiVersion, kind: 'FlowSchema', metadata: { name }, status: { conditions: [condition] } })
  try {
    await apply({ registry, kind, target, write: { manager, dryRun: false } }, { text, force: true })
  } catch (error) {
    // The FlowSchema was deleted in the meantime.
    if (!(error instanceof ApiError) || error.code !== 404) throw error
  }
}

/** Reconciles all FlowSchemas once. Returns without waiting if nothing has to be written. */
export async function updateFlowSchemaStatus(registry: Registry): Promise<void> {
  const { store } = registry
  const levels = new Set([...listUnder(store, priorityLevelPrefix)].map(({ metadata }) => metadata.name))
  const changes = reconcile([...listUnder(store, flowSchemaPrefix)], levels, rfc3339Seconds(registry.now()))
  await Promise.all(changes.map((change) => write(registry, change)))
}

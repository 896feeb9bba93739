/** Writes to each FlowSchema whether its priority level exists, after each change of either. */
import { kindOf } from '../../catalog/scheme.ts'
import { rfc3339Seconds } from '../../go/time.ts'
import { ApiError } from '../../meta/errors.ts'
import { apply } from '../../registry/apply.ts'
import { listUnder } from '../../registry/list/all.ts'
import { flowSchemaPrefix, priorityLevelPrefix } from '../../registry/policy/flow-control.ts'
import type { Registry } from '../../registry/registry.ts'
import type { ControlContext } from '../control-context.ts'
import type { Controller } from '../controller.ts'
import { type Dangling, reconcile } from './reconcile.ts'

const manager = 'api-priority-and-fairness-config-consumer-v1'
const group = 'flowcontrol.apiserver.k8s.io'
const apiVersion = `${group}/v1`

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
async function updateFlowSchemaStatus(registry: Registry): Promise<void> {
  const { store } = registry
  const levels = new Set([...listUnder(store, priorityLevelPrefix)].map(({ metadata }) => metadata.name))
  const changes = reconcile([...listUnder(store, flowSchemaPrefix)], levels, rfc3339Seconds(registry.now()))
  await Promise.all(changes.map((change) => write(registry, change)))
}

/** The controller of FlowSchemas. Requests do not wait for a condition that only informs people of a mistake. */
export const flowSchemaStatus: Controller<ControlContext> = {
  name: 'flow-schema-status',
  rows: 'workqueue/flow-schema-status',
  watches: [flowSchemaPrefix, priorityLevelPrefix],
  open: ({ kernel: { registry } }) => ({
    missed: () => [''],
    reconcile: async () => {
      await updateFlowSchemaStatus(registry)
      return 'done'
    },
  }),
}

/**
 * Decides the Dangling condition of FlowSchemas. Pure: the wiring writes it. Follows the config consumer of kube-apiserver's
 * priority and fairness.
 */
import type { JsonObject } from '../../go/json-value.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'

/** A FlowSchema with its new condition. */
export interface Dangling {
  readonly name: string
  readonly condition: JsonObject
}

interface Condition {
  readonly type?: string
  readonly status?: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string | null
}

function present({ status }: KubernetesObject): Condition | undefined {
  const { conditions } = (status ?? {}) as { readonly conditions?: readonly Condition[] | null }
  return conditions?.find(({ type }) => type === 'Dangling')
}

function wanted(level: string, found: boolean): Required<Omit<Condition, 'lastTransitionTime'>> {
  const references = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`
  return found
    ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${references} and it exists` }
    : { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${references} but there is no such object` }
}

/**
 * Returns the conditions to write.
 * @param time RFC 3339: the transition time of a condition whose status changes
 */
export function reconcile(
  schemas: readonly KubernetesObject[],
  levels: ReadonlySet<string | undefined>,
  time: string,
): readonly Dangling[] {
  return schemas.flatMap((schema) => {
    const { name: level } = (schema.spec as unknown as { readonly priorityLevelConfiguration: { readonly name: string } })
      .priorityLevelConfiguration
    const old = present(schema)
    const now = wanted(level, levels.has(level))
    if (old?.status === now.status && old.reason === now.reason && old.message === now.message) return []
    const lastTransitionTime = old?.status === now.status ? (old.lastTransitionTime ?? time) : time
    return [{ name: schema.metadata.name ?? '', condition: { ...now, lastTransitionTime } }]
  })
}

/** The fields of a RuntimeClass that affect its Pods; null if it does not exist. */
import type { ResourceList } from '../../catalog/generated/types/core.v1.ts'
import type { RuntimeClass, Scheduling } from '../../catalog/generated/types/node.v1.ts'
import { findObject } from '../../clusters/read-object.ts'
import { defineFact } from './fact.ts'

export interface PodRuntime {
  /** Undefined if the class defines no overhead; otherwise the amounts, possibly none. */
  readonly overhead?: ResourceList
  readonly scheduling?: Scheduling
}

const podRuntime = ({ overhead, scheduling }: RuntimeClass): PodRuntime => ({
  ...(overhead !== undefined && { overhead: overhead.podFixed ?? {} }),
  ...(scheduling !== undefined && { scheduling }),
})

export const runtimeClass = defineFact<{ readonly name: string }, PodRuntime | null>({
  name: 'runtimeClass',
  collection: 'runtimeclasses.node.k8s.io',
  absent: null,
  read: async (collections, { name }) => {
    const target = { group: 'node.k8s.io', resource: 'runtimeclasses', namespace: '', name } as const
    const stored = await findObject<RuntimeClass>(collections, target)
    return stored && podRuntime(stored)
  },
})

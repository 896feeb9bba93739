/** The fields of a Node that affect its Pods; null if it does not exist. */
import type { Node, ResourceList } from '../../catalog/generated/types/core.v1.ts'
import { findObject } from '../../clusters/read-object.ts'
import { defineFact } from './fact.ts'

export interface PodNode {
  readonly labels: Readonly<Record<string, string>>
  readonly allocatable?: ResourceList
  readonly declaredFeatures?: readonly string[]
}

const podNode = ({ metadata, status }: Node): PodNode => ({
  labels: metadata.labels ?? {},
  ...(status?.allocatable !== undefined && { allocatable: status.allocatable }),
  ...(status?.declaredFeatures !== undefined && { declaredFeatures: status.declaredFeatures }),
})

export const node = defineFact<{ readonly name: string }, PodNode | null>({
  name: 'node',
  keyOf: ({ name }) => `node ${name}`,
  collection: 'nodes',
  absent: null,
  read: async (collections, { name }) => {
    const stored = await findObject<Node>(collections, { resource: 'nodes', namespace: '', name })
    return stored && podNode(stored)
  },
})

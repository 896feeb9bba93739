/** The fact about the node of a Pod. */
import type { Node } from '../../catalog/generated/types/core.v1.ts'
import type { PodNode } from '../../clusters/lookups.ts'
import { findObject } from '../../clusters/read-object.ts'
import type { ReadFact } from './fact.ts'

const podNode = ({ metadata, status }: Node): PodNode => ({
  labels: metadata.labels ?? {},
  ...(status?.allocatable !== undefined && { allocatable: status.allocatable }),
  ...(status?.declaredFeatures !== undefined && { declaredFeatures: status.declaredFeatures }),
})

export const node: ReadFact<'node'> = async (collections, { name }) => {
  const stored = await findObject<Node>(collections, { resource: 'nodes', namespace: '', name })
  return stored === undefined ? null : podNode(stored)
}

/** The lookup of the node of a Pod. */
import type { Node } from '../../catalog/generated/types/core.v1.ts'
import type { PodNode } from '../../clusters/lookups.ts'
import { findObject } from '../../clusters/read-object.ts'
import type { Resolver } from './resolver.ts'

const podNode = ({ metadata, status }: Node): PodNode => ({
  labels: metadata.labels ?? {},
  ...(status?.allocatable !== undefined && { allocatable: status.allocatable }),
  ...(status?.declaredFeatures !== undefined && { declaredFeatures: status.declaredFeatures }),
})

export const node: Resolver<'node'> = async ({ services, client }, { name }) => {
  const found = await services.reads.find('nodes', name, async () => {
    const stored = await findObject<Node>(client, { resource: 'nodes', namespace: '', name })
    return stored && podNode(stored)
  })
  return found ?? null
}

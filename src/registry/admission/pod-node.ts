/** The lookup of the node of a Pod, which several plugins share. */
import { type PodNode, workerLookup } from '../../clusters/lookups.ts'
import type { WorkerLookup } from '../../meta/lookups.ts'

/** Makes the lookup of a node. */
export const nodeLookup = (name: string): WorkerLookup<PodNode | null> => workerLookup('node', { name }, `node ${name}`)

import { send } from '../../clusters/message.ts'
import { objectProtocol } from '../../clusters/object-protocol.ts'
import { groupResourceOf } from '../../clusters/placement.ts'
import type { Definitions } from '../../controllers/crd/definitions.ts'
import { kindOfKey } from '../../controllers/garbage-collector/kinds.ts'
import type { Feature, Kernel } from '../../controllers/kernel.ts'
import type { CountedCollections, QuotaController } from '../../controllers/resource-quota/wiring.ts'
import { definitionPrefix } from '../../crd/definition.ts'
import type { ClusterCollections } from '../cluster-collections.ts'

/** Returns the collections as quotas count them. */
export const countedCollections = (
  { client }: Kernel,
  collections: ClusterCollections,
  definitions: Definitions,
): CountedCollections => ({
  presenceOf: (collection) => {
    const kind = kindOfKey(`${collection}/`) ?? definitions.storageKind(collection)
    if (kind?.namespaced !== true || !kind.verbs.has('list')) return 'unknown'
    return collections.isOwn(collection) || collections.held.has(...groupResourceOf(collection)) ? 'held' : 'empty'
  },
  ask: (collection, question) => {
    const stub = collections.isOwn(collection) ? client.control() : client.collection(...groupResourceOf(collection))
    return send(stub, objectProtocol.usage, question)
  },
})

/** The quotas of the cluster, which may count objects of definitions that come later. */
export const quotas = (controller: QuotaController): Feature => ({
  jobs: [controller],
  changed: (event) => controller.changed(event),
  applied: (keys) => {
    const names = keys.filter((key) => key.startsWith(definitionPrefix)).map((key) => key.slice(definitionPrefix.length))
    if (names.length > 0) controller.defined(names)
  },
})

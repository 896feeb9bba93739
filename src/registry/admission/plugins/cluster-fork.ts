/**
 * The admission of forks: who makes a cluster with the objects of another one gets all of them, so the client needs the verb `fork` on
 * its parent. Whether the client may make clusters has been decided before.
 */
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { access } from '../../access.ts'
import { type AdmissionPlugin, admissionForbidden } from '../plugin.ts'

const clusters = { group: 'edgeplane.dev', version: 'v1', resource: 'clusters' } as const

interface Cluster extends KubernetesObject {
  readonly spec?: { readonly forkedFrom?: { readonly name?: string } }
}

/** Rejects a CREATE of a fork whose parent the client may not fork. */
export const clusterFork: AdmissionPlugin = {
  name: 'ClusterFork',
  handlers: [
    {
      operations: ['CREATE'],
      resources: 'custom',
      validate(attributes, object, _old, { lookups }) {
        const { kind, user } = attributes
        const parent = (object as Cluster).spec?.forkedFrom?.name
        if (kind.group !== clusters.group || kind.resource !== clusters.resource || parent === undefined) return
        const decision = access({ user, lookups }, { ...clusters, verb: 'fork', name: parent })
        if (!decision.allowed)
          throw admissionForbidden(attributes, object, `may not fork the cluster ${parent}: ${decision.reason}`)
      },
    },
  ],
}

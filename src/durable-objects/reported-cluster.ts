import { defaultCluster } from '../clusters/placement.ts'
import { noUse, ReportedUses } from '../controllers/cluster/life.ts'
import type { ClusterRecord } from '../controllers/cluster/record.ts'
import { sendReport } from '../controllers/cluster/reports.ts'
import { ObjectUse } from '../controllers/cluster/use.ts'
import type { Kernel } from '../controllers/kernel.ts'

/** The usage of a named cluster, which its control object reports to the holder of the Cluster objects. */
export class ReportedCluster {
  readonly uses: ReportedUses
  /** The usage of the control object itself; undefined in the default cluster. */
  readonly use: ObjectUse | undefined
  readonly #kernel: Kernel
  readonly #record: ClusterRecord

  constructor(kernel: Kernel, record: ClusterRecord) {
    this.#kernel = kernel
    this.#record = record
    this.uses = new ReportedUses(kernel.ctx.storage, () => record.terms?.limits ?? {})
    const reports = {
      isReported: () => record.terms !== undefined,
      current: () => this.uses.answer,
      report: async () => {
        await this.report('in use')
        return this.uses.answer
      },
    }
    this.use = kernel.cluster === defaultCluster ? undefined : new ObjectUse(kernel, reports)
  }

  /** Reports about the cluster. */
  report(state: 'in use' | 'expired'): Promise<void> {
    const { cluster: name, uid } = this.#record
    const use = this.uses.sumWith(this.use?.current() ?? noUse)
    return sendReport(this.#kernel.clusterClient(defaultCluster), { name, uid, use, state })
  }
}

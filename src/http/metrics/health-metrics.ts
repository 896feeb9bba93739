/** The metrics of health checks for /metrics/slis. Follows component-base's metrics/prometheus/slis. */

import { type Family, Numbers } from '../../meta/metrics/families.ts'
import type { HealthCheck } from '../health.ts'

/** The results of health checks. Each request to /metrics/slis runs the checks. */
export class HealthMetrics {
  readonly #last = new Numbers('kubernetes_healthcheck', {
    type: 'gauge',
    help: '[STABLE] This metric records the result of a single healthcheck.',
    labels: ['name', 'type'],
  })
  readonly #total = new Numbers('kubernetes_healthchecks_total', {
    type: 'counter',
    help: '[STABLE] This metric records the results of all healthcheck.',
    labels: ['name', 'type', 'status'],
  })

  /** Runs all checks, those with the same function once, and counts their results. */
  async families(checks: readonly HealthCheck[]): Promise<readonly Family[]> {
    const runs = [...new Set(checks.map(({ run }) => run))]
    const results = await Promise.all(
      runs.map((run) =>
        run().then(
          () => true,
          () => false,
        ),
      ),
    )
    const passed = new Map(runs.map((run, index) => [run, results[index] === true]))
    for (const { name, endpoints, run } of checks) {
      for (const endpoint of endpoints) {
        this.#last.of(name, endpoint).value = passed.get(run) === true ? 1 : 0
        this.#total.of(name, endpoint, passed.get(run) === true ? 'success' : 'error').value++
      }
    }
    return [this.#last, this.#total]
  }
}

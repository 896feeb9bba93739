/** All metrics of this isolate: requests, access, flow control, admission, the audit log, and the server itself. */
import { releaseText } from '../../catalog/lifecycle.ts'
import type { AdmissionSettings } from '../../config/admission/settings.ts'
import { gatesWithStages } from '../../config/feature-gates.ts'
import { isHiddenFamily } from '../../config/metrics-options.ts'
import { lifecycleOf } from '../../meta/metrics/definition.ts'
import { metricDefinitions } from '../../meta/metrics/definitions/all.ts'
import type { Cell } from '../../meta/metrics/families.ts'
import { Metrics } from '../../meta/metrics/metrics.ts'
import type { AuditCounters } from '../audit/log.ts'
import { type Level, levels } from '../audit/policy.ts'
import type { Seats } from '../limits/seats.ts'
import { type BuildInfo, type EffectiveVersion, release } from '../version.ts'
import { AccessMetrics } from './access-metrics.ts'
import { AdmissionMetrics } from './admission-metrics.ts'
import { FlowControlMetrics } from './flow-control-metrics.ts'
import { type MetricsDataset, RequestMetrics } from './request-metrics.ts'

/** Adds the metrics that stay the same as long as the isolate runs. */
function addConstants(metrics: Metrics, build: BuildInfo, startedAt: number): void {
  const { gitCommit, gitTreeState, buildDate, goVersion, compiler, platform } = build
  const { major, minor, gitVersion } = release
  const info = [major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform]
  metrics.numbers('kubernetes_build_info').of(...info).value = 1
  metrics.numbers('process_start_time_seconds').of().value = startedAt / 1000
  const features = metrics.numbers('kubernetes_feature_enabled')
  for (const { name, stage, isOn } of gatesWithStages()) features.of(name, stage).value = isOn ? 1 : 0
  addRegistrations(metrics)
}

/** Counts the metrics by their stability, and those that are hidden. */
function addRegistrations(metrics: Metrics): void {
  const hidden = metrics.numbers('hidden_metrics_total').of()
  metrics.numbers('disabled_metrics_total').of()
  for (const definition of Object.values(metricDefinitions)) {
    const { stability, deprecated } = lifecycleOf(definition)
    if (isHiddenFamily({ definition })) hidden.value++
    else if (stability !== '') metrics.numbers('registered_metrics_total').of(stability, deprecated).value++
  }
}

/** The parts of the server that its metrics tell about. */
interface MeasuredServer {
  readonly build: BuildInfo
  readonly seats: Seats
  /** The start time of the isolate, in milliseconds since the epoch. */
  readonly startedAt: number
  readonly dataset: MetricsDataset | undefined
  readonly admission: AdmissionSettings
}

/** All metrics of one isolate. */
export class ServerMetrics implements AuditCounters {
  readonly #metrics = new Metrics()
  readonly requests: RequestMetrics
  readonly access = new AccessMetrics(this.#metrics)
  readonly admission: AdmissionMetrics
  readonly flowControl: FlowControlMetrics
  /** Adds the metrics that stay the same, some 400: only for the first scrape. Undefined when it has. */
  #addConstants: (() => void) | undefined
  /** The start time of the isolate, in milliseconds since the epoch. */
  readonly startedAt: number
  readonly #levelCells: Readonly<Record<Level, Cell>>
  readonly #eventCell = this.#metrics.numbers('apiserver_audit_event_total').of()
  readonly #rejectedCell = this.#metrics.numbers('apiserver_audit_requests_rejected_total').of()

  constructor({ build, seats, startedAt, dataset, admission }: MeasuredServer) {
    this.admission = new AdmissionMetrics(this.#metrics, admission)
    this.requests = new RequestMetrics(this.#metrics, dataset)
    this.flowControl = new FlowControlMetrics(this.#metrics, seats)
    this.startedAt = startedAt
    const ofLevel = this.#metrics.numbers('apiserver_audit_level_total')
    this.#levelCells = Object.fromEntries(levels.map((level) => [level, ofLevel.of(level)])) as Record<Level, Cell>
    this.#addConstants = () => addConstants(this.#metrics, build, startedAt)
  }

  level(level: Level): void {
    this.#levelCells[level].value++
  }

  event(): void {
    this.#eventCell.value++
  }

  rejected(): void {
    this.#rejectedCell.value++
  }

  /** Counts audit events that a sink could not write. */
  lost(sink: string, events: number): void {
    this.#metrics.measure('apiserver_audit_error_total', [sink], events)
  }

  /**
   * Adds all samples to a scrape, with the gauges of this moment.
   * @param emulated the versions of the cluster
   */
  addTo(scrape: Metrics, at: number, emulated: EffectiveVersion): void {
    const versions = [release.gitVersion.slice(1), ...[emulated.release, emulated.minimumCompatibility].map(releaseText)]
    scrape.numbers('version_info').of('kube', ...versions).value = 1
    this.requests.measure(at)
    this.flowControl.measure()
    this.admission.measure()
    this.#addConstants?.()
    this.#addConstants = undefined
    scrape.merge(this.#metrics.read())
  }
}

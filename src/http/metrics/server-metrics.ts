/** The metrics of this isolate other than request metrics: the build, the audit log, priority levels. */
import type { Flow } from '../../auth/flow-control/classification.ts'
import type { AuditCounters } from '../audit/log.ts'
import { type Level, levels } from '../audit/policy.ts'
import type { Seats } from '../limits/seats.ts'
import { type BuildInfo, release } from '../version.ts'
import { AdmissionMetrics } from './admission-metrics.ts'
import { type Cell, type Family, Numbers } from './families.ts'
import { type MetricsDataset, RequestMetrics } from './request-metrics.ts'

const buildLabels = [
  'major',
  'minor',
  'git_version',
  'git_commit',
  'git_tree_state',
  'build_date',
  'go_version',
  'compiler',
  'platform',
]

function buildInfo(build: BuildInfo): Family {
  const info = new Numbers(
    'gauge',
    'kubernetes_build_info',
    "[BETA] A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.",
    buildLabels,
  )
  const { gitCommit, gitTreeState, buildDate, goVersion, compiler, platform } = build
  const { major, minor, gitVersion } = release
  info.of(major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform).value = 1
  return info
}

const flowLabels = ['priority_level', 'flow_schema']

/** All metrics of one isolate. */
export class ServerMetrics implements AuditCounters {
  readonly requests: RequestMetrics
  readonly admission = new AdmissionMetrics()
  /** The time of the isolate's first request, in seconds since the epoch. */
  readonly #start = new Numbers('gauge', 'process_start_time_seconds', 'Start time of the process since unix epoch in seconds.')
  readonly #build: Family
  readonly #seats: Seats
  readonly #auditEvents = new Numbers(
    'counter',
    'apiserver_audit_event_total',
    '[ALPHA] Counter of audit events generated and sent to the audit backend.',
  )
  readonly #auditLevels = new Numbers(
    'counter',
    'apiserver_audit_level_total',
    '[ALPHA] Counter of policy levels for audit events (1 per request).',
    ['level'],
  )
  readonly #auditErrors = new Numbers(
    'counter',
    'apiserver_audit_error_total',
    '[ALPHA] Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected by the error.',
    ['plugin'],
  )
  readonly #dispatched = new Numbers(
    'counter',
    'apiserver_flowcontrol_dispatched_requests_total',
    '[BETA] Number of requests executed by API Priority and Fairness subsystem',
    flowLabels,
  )
  readonly #rejected = new Numbers(
    'counter',
    'apiserver_flowcontrol_rejected_requests_total',
    '[BETA] Number of requests rejected by API Priority and Fairness subsystem',
    [...flowLabels, 'reason'],
  )
  readonly #seatGauges = {
    executing: new Numbers(
      'gauge',
      'apiserver_flowcontrol_current_executing_seats',
      '[BETA] Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem',
      ['priority_level'],
    ),
    waiting: new Numbers(
      'gauge',
      'apiserver_flowcontrol_current_inqueue_requests',
      '[BETA] Number of requests currently pending in queues of the API Priority and Fairness subsystem',
      ['priority_level'],
    ),
    nominal: new Numbers(
      'gauge',
      'apiserver_flowcontrol_nominal_limit_seats',
      '[BETA] Nominal number of execution seats configured for each priority level',
      ['priority_level'],
    ),
  }
  /** The start time of the isolate, in milliseconds since the epoch. */
  readonly startedAt: number
  readonly #levelCells: Readonly<Record<Level, Cell>>
  readonly #eventCell = this.#auditEvents.of()
  readonly #flowCells = new WeakMap<Flow, Cell>()

  constructor(build: BuildInfo, seats: Seats, startedAt: number, dataset: MetricsDataset | undefined) {
    this.requests = new RequestMetrics(dataset)
    this.#build = buildInfo(build)
    this.#seats = seats
    this.startedAt = startedAt
    this.#start.of().value = startedAt / 1000
    this.#levelCells = Object.fromEntries(levels.map((level) => [level, this.#auditLevels.of(level)])) as Record<Level, Cell>
  }

  level(level: Level): void {
    this.#levelCells[level].value++
  }

  event(): void {
    this.#eventCell.value++
  }

  /** Counts audit events that a sink could not write. */
  lost(sink: string, events: number): void {
    this.#auditErrors.of(sink).value += events
  }

  /** Counts a request of this flow that got a seat. */
  dispatched(flow: Flow): void {
    let cell = this.#flowCells.get(flow)
    if (cell === undefined) {
      cell = this.#dispatched.of(flow.level.name, flow.schema.name)
      this.#flowCells.set(flow, cell)
    }
    cell.value++
  }

  /** Counts a request of this flow that was rejected. */
  rejected(flow: Flow): void {
    this.#rejected.of(flow.level.name, flow.schema.name, 'queue-full').value++
  }

  families(at: number): readonly Family[] {
    const { executing, waiting, nominal } = this.#seatGauges
    for (const level of this.#seats.executing()) {
      executing.of(level.level).value = level.executing
      waiting.of(level.level).value = level.waiting
      nominal.of(level.level).value = level.nominal
    }
    return [
      this.#build,
      this.#start,
      this.#auditEvents,
      this.#auditLevels,
      this.#auditErrors,
      this.#dispatched,
      this.#rejected,
      executing,
      waiting,
      nominal,
      ...this.requests.families(at),
      ...this.admission.families(),
    ]
  }
}

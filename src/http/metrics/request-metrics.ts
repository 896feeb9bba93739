/**
 * The request metrics of this isolate, with the names and labels of kube-apiserver. Follows
 * k8s.io/apiserver/pkg/endpoints/metrics. A request costs one look-up by its labels and three additions.
 */
import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import type { Cell, Distribution, Numbers } from '../../meta/metrics/families.ts'
import type { Metrics } from '../../meta/metrics/metrics.ts'
import type { RequestInfo, ResourceRequest } from '../request-info.ts'
import { Running } from './running.ts'

/** The values of the labels of apiserver_request_duration_seconds, in their order. */
type SeriesLabels = readonly [
  verb: string,
  dryRun: string,
  group: string,
  version: string,
  resource: string,
  subresource: string,
  scope: string,
  component: string,
]

/** The metrics of requests with the same labels. */
interface Series {
  readonly labels: SeriesLabels
  readonly codes: Map<number, Cell>
  readonly duration: Distribution
  readonly sli: Distribution | undefined
  /** The earlier name of the same metric, which is hidden by default. */
  readonly slo: Distribution | undefined
}

/** A completed request. */
export interface Answered {
  readonly method: string
  readonly info: RequestInfo
  /** Undefined if the path does not belong to a kind. */
  readonly kind: Kind | undefined
  readonly query: URLSearchParams
  /** The body is an apply configuration. */
  readonly isApply: boolean
  readonly code: number
  readonly seconds: number
  /** The part of the seconds for which the request waited for webhooks and for a seat. */
  readonly delayed: number
  /** The declared length of the body; undefined without one. */
  readonly bodyBytes: number | undefined
}

/** The names of verbs in apiserver_request_body_size_bytes. */
const bodyVerbs: Readonly<Record<string, string | undefined>> = {
  create: 'create',
  update: 'update',
  patch: 'patch',
  delete: 'delete',
  deletecollection: 'delete_collection',
}

/** The request of a path whose kind is not known yet. */
export type UnhandledRequest = Pick<Answered, 'method' | 'info' | 'query' | 'isApply'>

/** Verbs of requests that may run long: their durations say nothing about the level of service. */
const longRunningVerbs: ReadonlySet<string> = new Set(['CONNECT', 'WATCH'])

/** Subresources with the verb CONNECT. */
const connections: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy'])
const methods: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])

function verbOf({ method, info, isApply }: UnhandledRequest, scope: string): string {
  if (info.isResource && connections.has(info.subresource)) return 'CONNECT'
  if (info.isResource && info.verb === 'watch') return 'WATCH'
  if (method === 'GET' && (scope === 'cluster' || scope === 'namespace')) return 'LIST'
  if (method === 'PATCH' && isApply) return 'APPLY'
  return methods.has(method) ? method : 'other'
}

type Scope = 'resource' | 'namespace' | 'cluster'

function scopeOfResource({ name, verb, namespace }: ResourceRequest): Scope {
  if (name !== '' || verb === 'create') return 'resource'
  return namespace === '' ? 'cluster' : 'namespace'
}

/** Returns the labels of a non-resource path, or undefined if the path is not counted. */
function pathLabels(path: string): { readonly subresource: string; readonly component: string } | undefined {
  if (/^\/(?:healthz|livez|readyz)$/.test(path)) return { subresource: path, component: '' }
  if (path === '/openapi/v3') return { subresource: path.slice(1), component: '' }
  if (path.startsWith('/openapi/v3/')) return { subresource: 'openapi/v3/', component: '' }
  return path === '/api' || path === '/apis' ? { subresource: path.slice(1), component: 'apiserver' } : undefined
}

function labelsOf(answered: Answered): SeriesLabels | undefined {
  const { info, kind } = answered
  if (!info.isResource) {
    const labels = pathLabels(info.path)
    if (labels === undefined) return undefined
    return [verbOf(answered, ''), '', '', '', '', labels.subresource, '', labels.component]
  }
  if (kind === undefined) return undefined
  const scope = scopeOfResource(info)
  const { group, version, resource } = kind
  return [verbOf(answered, scope), dryRunOf(answered), group, version, resource, subresourceOf(info, kind), scope, 'apiserver']
}

const dryRunOf = ({ query }: Pick<Answered, 'query'>): string => (query.size > 0 && query.get('dryRun') === 'All' ? 'All' : '')

/** Returns the subresource if the kind has it, else ''. Other path segments must not become labels. */
const subresourceOf = (info: ResourceRequest, kind: Kind): string =>
  info.subresource !== '' && kind.subresources.has(info.subresource) ? info.subresource : ''

/** Returns the subresource label of a non-resource path; undefined if the path is not counted. */
const pathOf = (info: RequestInfo): string | undefined => (info.isResource ? undefined : pathLabels(info.path)?.subresource)

const fieldValidations: ReadonlySet<string> = new Set(['', 'Ignore', 'Warn', 'Strict'])

/** Whether the labels depend only on kind, verb and scope. */
const isPlain = (answered: Answered, info: ResourceRequest): boolean =>
  info.subresource === '' && answered.query.size === 0 && !answered.isApply && answered.method !== 'HEAD' && info.verb !== ''

/** The values of the label request_kind. */
export type RequestKind = 'mutating' | 'readOnly'

/** The method of an Analytics Engine dataset that is used. If a dataset is bound, it has the requests of all isolates. */
export interface MetricsDataset {
  writeDataPoint(point: { readonly indexes: string[]; readonly blobs: string[]; readonly doubles: number[] }): void
}

/**
 * The request metrics of one isolate.
 * @example
 * const requests = new RequestMetrics(metrics, undefined)
 * requests.begin('readOnly', Date.now())
 * requests.answered({ method, info, kind, query, isApply: false, code: 200, seconds: 0.004, bodyBytes: undefined })
 */
export class RequestMetrics {
  readonly #metrics: Metrics
  readonly #series = new Map<string, Series>()
  /** Series of most requests by kind and scope, then by verb. */
  readonly #plain = new WeakMap<Kind, Readonly<Record<Scope, Map<string, Series>>>>()
  readonly #bodies = new WeakMap<Kind, Map<string, Distribution>>()
  readonly #total: Numbers
  readonly #running: Readonly<Record<RequestKind, Running>> = { mutating: new Running(), readOnly: new Running() }
  readonly #waiting: Readonly<Record<RequestKind, Running>> = { mutating: new Running(), readOnly: new Running() }
  readonly #dataset: MetricsDataset | undefined

  constructor(metrics: Metrics, dataset: MetricsDataset | undefined) {
    this.#metrics = metrics
    this.#total = metrics.numbers('apiserver_request_total')
    this.#dataset = dataset
    // kube-apiserver makes a series for each value that a request has named, and observes nothing.
    metrics.distributions('field_validation_request_duration_seconds').of('')
  }

  /** Begins to count a request as in flight. */
  begin(kind: RequestKind, at: number): void {
    this.#running[kind].begin(at)
  }

  end(kind: RequestKind, at: number): void {
    this.#running[kind].end(at)
  }

  /** Begins to count a request as waiting in a queue. */
  beginWaiting(kind: RequestKind, at: number): void {
    this.#waiting[kind].begin(at)
  }

  endWaiting(kind: RequestKind, at: number): void {
    this.#waiting[kind].end(at)
  }

  /** Counts a completed request if its path is counted. */
  answered(answered: Answered): void {
    const series = this.#seriesOf(answered)
    if (series === undefined) return
    let cell = series.codes.get(answered.code)
    if (cell === undefined) {
      cell = this.#total.of(...series.labels, String(answered.code))
      series.codes.set(answered.code, cell)
    }
    cell.value++
    series.duration.observe(answered.seconds)
    const own = answered.seconds - answered.delayed
    series.sli?.observe(own)
    series.slo?.observe(own)
    if (answered.bodyBytes !== undefined) this.#received(answered, answered.bodyBytes)
    if (answered.query.size > 0) this.#named(answered.query)
    this.#dataset?.writeDataPoint({
      indexes: [series.labels[4]],
      blobs: [...series.labels, String(answered.code)],
      doubles: [answered.seconds],
    })
  }

  /** Counts a request that the server ended to protect itself: 429 if it is too busy, 504 at the deadline. */
  terminated(request: UnhandledRequest, code: 429 | 504): void {
    const { info } = request
    const kind = info.isResource ? kindOf(info.group, info.version, info.resource) : undefined
    const scope = info.isResource ? scopeOfResource(info) : ''
    const { group = '', version = '', resource = '' } = kind ?? {}
    const subresource = info.isResource && kind !== undefined ? subresourceOf(info, kind) : (pathOf(info) ?? '')
    const labels = [verbOf(request, scope), group, version, resource, subresource, scope, 'apiserver', String(code)]
    this.#metrics.measure('apiserver_request_terminations_total', labels, 1)
    if (code === 429 && kind !== undefined) {
      const dryRun = dryRunOf(request)
      this.#total.of(labels[0] ?? '', dryRun, group, version, resource, subresource, scope, 'apiserver', '429').value++
    }
  }

  /** Counts a request whose handler has ended after the response of its deadline was sent. */
  endedLate(): void {
    this.#metrics.measure('apiserver_request_post_timeout_total', ['timeout-handler', 'ok'], 1)
  }

  /** Returns the histogram of a filter's durations. */
  filter(name: string): Distribution {
    return this.#metrics.distributions('apiserver_request_filter_duration_seconds').of(name)
  }

  /** Records a request for a deprecated version of a kind. */
  deprecated({ group, version, resource, lifecycle }: Kind, subresource: string): void {
    const removed = lifecycle?.removed?.join('.') ?? ''
    this.#metrics.numbers('apiserver_requested_deprecated_apis').of(group, version, resource, subresource, removed).value = 1
  }

  /** Brings the gauges up to date. */
  measure(at: number): void {
    for (const kind of ['mutating', 'readOnly'] as const) {
      this.#metrics.numbers('apiserver_current_inflight_requests').of(kind).value = this.#running[kind].mostAt(at)
      this.#metrics.numbers('apiserver_current_inqueue_requests').of(kind).value = this.#waiting[kind].mostAt(at)
    }
  }

  #received({ info, kind }: Answered, bytes: number): void {
    const verb = bodyVerbs[info.isResource ? info.verb : '']
    if (kind === undefined || verb === undefined) return
    let ofKind = this.#bodies.get(kind)
    if (ofKind === undefined) {
      ofKind = new Map()
      this.#bodies.set(kind, ofKind)
    }
    let sizes = ofKind.get(verb)
    if (sizes === undefined) {
      const family = this.#metrics.distributions('apiserver_request_body_size_bytes')
      sizes = family.of(kind.group, kind.resource, verb)
      ofKind.set(verb, sizes)
    }
    sizes.observe(bytes)
  }

  #named(query: URLSearchParams): void {
    const validation = query.get('fieldValidation')
    if (validation === null) return
    const label = fieldValidations.has(validation) ? validation : 'invalid'
    this.#metrics.distributions('field_validation_request_duration_seconds').of(label)
  }

  /** Returns the series of a request. Most are found without joining their labels, because strings are expensive here. */
  #seriesOf(answered: Answered): Series | undefined {
    const { info, kind } = answered
    if (kind === undefined || !info.isResource || !isPlain(answered, info)) return this.#make(labelsOf(answered))
    let ofKind = this.#plain.get(kind)
    if (ofKind === undefined) {
      ofKind = { resource: new Map(), namespace: new Map(), cluster: new Map() }
      this.#plain.set(kind, ofKind)
    }
    const ofScope = ofKind[scopeOfResource(info)]
    let series = ofScope.get(info.verb)
    if (series === undefined) {
      series = this.#make(labelsOf(answered))
      if (series !== undefined) ofScope.set(info.verb, series)
    }
    return series
  }

  #make(labels: SeriesLabels | undefined): Series | undefined {
    if (labels === undefined) return undefined
    const key = labels.join('\n')
    let series = this.#series.get(key)
    if (series === undefined) {
      const [verb, dryRun, ...rest] = labels
      const latency = (name: 'apiserver_request_sli_duration_seconds' | 'apiserver_request_slo_duration_seconds') =>
        dryRun === '' && !longRunningVerbs.has(verb) ? this.#metrics.distributions(name).of(verb, ...rest) : undefined
      series = {
        labels,
        codes: new Map(),
        duration: this.#metrics.distributions('apiserver_request_duration_seconds').of(...labels),
        sli: latency('apiserver_request_sli_duration_seconds'),
        slo: latency('apiserver_request_slo_duration_seconds'),
      }
      this.#series.set(key, series)
    }
    return series
  }
}

/**
 * The request metrics of this isolate, with the names and labels of kube-apiserver. Follows
 * k8s.io/apiserver/pkg/endpoints/metrics. A request costs one look-up by its labels and three additions.
 */
import type { Decision } from '../../auth/attributes.ts'
import type { Kind } from '../../catalog/kind.ts'
import type { RequestInfo, ResourceRequest } from '../request-info.ts'
import { type Cell, type Distribution, Distributions, type Family, Numbers } from './families.ts'

const requestLabels = ['verb', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const
const sliLabels = requestLabels.filter((label) => label !== 'dry_run')

const slow = [0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60]
const durations = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, ...slow]
const sliDurations = [0.05, 0.1, 0.2, 0.4, ...slow]

/** The values of requestLabels, in their order. */
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
}

/** Subresources with the verb CONNECT. */
const connections: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy'])
const methods: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])

/** User names that may be values of a label. There would be too many others. */
const wellKnownUsers: ReadonlySet<string> = new Set([
  'admin',
  'client',
  'kube_proxy',
  'kubelet',
  'system:serviceaccount:kube-system:default',
])

function verbOf({ method, info, isApply }: Answered, scope: string): string {
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
  if (/^\/(?:healthz|livez|readyz|metrics|metrics\/slis|version)$/.test(path)) return { subresource: path, component: '' }
  if (path === '/openapi/v2' || path === '/openapi/v3') return { subresource: path.slice(1), component: '' }
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

const dryRunOf = ({ query }: Answered): string => (query.size > 0 && query.get('dryRun') === 'All' ? 'All' : '')

/** Returns the subresource if the kind has it, else ''. Other path segments must not become labels. */
const subresourceOf = (info: ResourceRequest, kind: Kind): string =>
  info.subresource !== '' && kind.subresources.has(info.subresource) ? info.subresource : ''

/** Whether the labels depend only on kind, verb and scope. */
const isPlain = (answered: Answered, info: ResourceRequest): boolean =>
  info.subresource === '' && answered.query.size === 0 && !answered.isApply && answered.method !== 'HEAD' && info.verb !== ''

/** The number of requests in flight. The metric has the maximum of the last second. */
class Running {
  #now = 0
  #most = 0
  #since = 0

  begin(at: number): void {
    this.#now++
    this.#settle(at)
    if (this.#now > this.#most) this.#most = this.#now
  }

  end(at: number): void {
    this.#settle(at)
    this.#now--
  }

  mostAt(at: number): number {
    this.#settle(at)
    return this.#most
  }

  #settle(at: number): void {
    if (at - this.#since < 1000) return
    this.#since = at
    this.#most = this.#now
  }
}

export type RequestKind = 'mutating' | 'readOnly'

/** The method of an Analytics Engine dataset that is used. If a dataset is bound, it has the requests of all isolates. */
export interface MetricsDataset {
  writeDataPoint(point: { readonly indexes: string[]; readonly blobs: string[]; readonly doubles: number[] }): void
}

/** The request metrics of one isolate. */
export class RequestMetrics {
  readonly #series = new Map<string, Series>()
  /** Series of most requests by kind and scope, then by verb. */
  readonly #plain = new WeakMap<Kind, Readonly<Record<Scope, Map<string, Series>>>>()
  readonly #total = new Numbers(
    'counter',
    'apiserver_request_total',
    '[STABLE] Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.',
    [...requestLabels, 'code'],
  )
  readonly #duration = new Distributions(
    'apiserver_request_duration_seconds',
    '[STABLE] Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.',
    requestLabels,
    durations,
  )
  readonly #sli = new Distributions(
    'apiserver_request_sli_duration_seconds',
    '[ALPHA] Response latency distribution (not counting webhook duration and priority & fairness queue wait times) in seconds for each verb, group, version, resource, subresource, scope and component.',
    sliLabels,
    sliDurations,
  )
  readonly #inflight = new Numbers(
    'gauge',
    'apiserver_current_inflight_requests',
    '[STABLE] Maximal number of currently used inflight request limit of this apiserver per request kind in last second.',
    ['request_kind'],
  )
  readonly #deprecated = new Numbers(
    'gauge',
    'apiserver_requested_deprecated_apis',
    '[STABLE] Gauge of deprecated APIs that have been requested, broken out by API group, version, resource, subresource, and removed_release.',
    ['group', 'version', 'resource', 'subresource', 'removed_release'],
  )
  readonly #users = new Numbers(
    'counter',
    'authenticated_user_requests',
    '[ALPHA] Counter of authenticated requests broken out by username.',
    ['username'],
  )
  readonly #authentication = new Numbers('counter', 'authentication_attempts', '[ALPHA] Counter of authenticated attempts.', [
    'result',
  ])
  readonly #authorization = new Numbers(
    'counter',
    'authorization_attempts_total',
    "[ALPHA] Counter of authorization attempts broken down by result. It can be either 'allowed', 'denied', 'no-opinion' or 'error'.",
    ['result'],
  )
  readonly #running: Readonly<Record<RequestKind, Running>> = { mutating: new Running(), readOnly: new Running() }
  readonly #results = {
    success: this.#authentication.of('success'),
    failure: this.#authentication.of('failure'),
    allowed: this.#authorization.of('allowed'),
    refused: this.#authorization.of('no-opinion'),
  }
  readonly #userCells = new Map<string, Cell>()
  readonly #dataset: MetricsDataset | undefined

  constructor(dataset: MetricsDataset | undefined) {
    this.#dataset = dataset
  }

  /** Begins to count a request as in flight. */
  begin(kind: RequestKind, at: number): void {
    this.#running[kind].begin(at)
  }

  end(kind: RequestKind, at: number): void {
    this.#running[kind].end(at)
  }

  /** Counts an authentication attempt. @param name of the user; undefined if the authentication failed */
  authenticated(name: string | undefined): void {
    if (name === undefined) {
      this.#results.failure.value++
      return
    }
    this.#results.success.value++
    const label = wellKnownUsers.has(name) ? name : name.includes('@') ? 'email_id' : 'other'
    let cell = this.#userCells.get(label)
    if (cell === undefined) {
      cell = this.#users.of(label)
      this.#userCells.set(label, cell)
    }
    cell.value++
  }

  decided({ allowed }: Decision): void {
    this.#results[allowed ? 'allowed' : 'refused'].value++
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
    series.sli?.observe(answered.seconds)
    this.#dataset?.writeDataPoint({
      indexes: [series.labels[4]],
      blobs: [...series.labels, String(answered.code)],
      doubles: [answered.seconds],
    })
  }

  /** Records a request for a deprecated version of a kind. */
  deprecated({ group, version, resource, lifecycle }: Kind, subresource: string): void {
    this.#deprecated.of(group, version, resource, subresource, lifecycle?.removed?.join('.') ?? '').value = 1
  }

  families(at: number): readonly Family[] {
    for (const kind of ['mutating', 'readOnly'] as const) this.#inflight.of(kind).value = this.#running[kind].mostAt(at)
    return [
      this.#inflight,
      this.#duration,
      this.#sli,
      this.#total,
      this.#deprecated,
      this.#users,
      this.#authentication,
      this.#authorization,
    ]
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
      const sli = dryRun === '' ? this.#sli.of(verb, ...rest) : undefined
      series = { labels, codes: new Map(), duration: this.#duration.of(...labels), sli }
      this.#series.set(key, series)
    }
    return series
  }
}

/** The metrics of authentication and authorization in this isolate. Follows the filters of k8s.io/apiserver and its token cache. */
import type { Decision } from '../../auth/attributes.ts'
import type { TokenCacheObserver } from '../../auth/authenticator.ts'
import type { Cell, Distribution } from '../../meta/metrics/families.ts'
import type { Metrics } from '../../meta/metrics/metrics.ts'

/** User names that may be values of a label. There would be too many others. */
const wellKnownUsers: ReadonlySet<string> = new Set([
  'admin',
  'client',
  'kube_proxy',
  'kubelet',
  'system:serviceaccount:kube-system:default',
])

/** The result of an authentication: `failure` without credentials, `error` with invalid ones. */
export type AuthenticationResult = 'success' | 'failure' | 'error'

type AuthorizationResult = 'allowed' | 'no-opinion' | 'error'

interface Outcome {
  readonly total: Cell
  readonly duration: Distribution
}

/** The counters of one isolate. Each outcome's cells are found once. */
export class AccessMetrics implements TokenCacheObserver {
  readonly #metrics: Metrics
  readonly #users = new Map<string, Cell>()
  readonly #authentications = new Map<AuthenticationResult, Outcome>()
  readonly #authorizations = new Map<AuthorizationResult, Outcome>()
  readonly #expirations: Distribution
  readonly #hits: Outcome
  readonly #misses: Outcome
  readonly #fetching: Cell

  constructor(metrics: Metrics) {
    this.#metrics = metrics
    this.#expirations = metrics.distributions('apiserver_client_certificate_expiration_seconds').of()
    const cached = (status: string): Outcome => ({
      total: metrics.numbers('authentication_token_cache_request_total').of(status),
      duration: metrics.distributions('authentication_token_cache_request_duration_seconds').of(status),
    })
    this.#hits = cached('hit')
    this.#misses = cached('miss')
    this.#fetching = metrics.numbers('authentication_token_cache_active_fetch_count').of('in_flight')
    metrics.numbers('authentication_token_cache_active_fetch_count').of('blocked')
  }

  /** Counts an authentication. @param name of the user; '' without one */
  authenticated(result: AuthenticationResult, name: string, seconds: number): void {
    let outcome = this.#authentications.get(result)
    if (outcome === undefined) {
      const total = this.#metrics.numbers('authentication_attempts').of(result)
      outcome = { total, duration: this.#metrics.distributions('authentication_duration_seconds').of(result) }
      this.#authentications.set(result, outcome)
    }
    outcome.total.value++
    outcome.duration.observe(seconds)
    if (result === 'success') this.#userCell(name).value++
  }

  /** Observes the remaining time of a verified client certificate. */
  certified(seconds: number): void {
    this.#expirations.observe(seconds)
  }

  /** Counts a decision about a request. */
  decided({ allowed, error }: Decision, seconds: number): void {
    const result = allowed ? 'allowed' : error === undefined ? 'no-opinion' : 'error'
    let outcome = this.#authorizations.get(result)
    if (outcome === undefined) {
      const total = this.#metrics.numbers('authorization_attempts_total').of(result)
      outcome = { total, duration: this.#metrics.distributions('authorization_duration_seconds').of(result) }
      this.#authorizations.set(result, outcome)
    }
    outcome.total.value++
    outcome.duration.observe(seconds)
  }

  hit(): void {
    this.#hits.total.value++
    this.#hits.duration.observe(0)
  }

  fetching(): void {
    this.#fetching.value++
  }

  fetched(status: 'ok' | 'error', seconds: number): void {
    this.#fetching.value--
    this.#misses.total.value++
    this.#misses.duration.observe(seconds)
    this.#metrics.measure('authentication_token_cache_fetch_total', [status], 1)
  }

  #userCell(name: string): Cell {
    const label = wellKnownUsers.has(name) ? name : name.includes('@') ? 'email_id' : 'other'
    let cell = this.#users.get(label)
    if (cell === undefined) {
      cell = this.#metrics.numbers('authenticated_user_requests').of(label)
      this.#users.set(label, cell)
    }
    return cell
  }
}

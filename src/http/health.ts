/** /healthz, /livez and /readyz. Follows k8s.io/apiserver/pkg/server/healthz. */

import { goQuote } from '../go/text.ts'
import { ApiError } from '../meta/errors.ts'
import { noCache } from './codec/headers.ts'

/** The endpoints. They differ in their checks. */
export type HealthEndpoint = 'healthz' | 'livez' | 'readyz'

const endpoints: readonly HealthEndpoint[] = ['healthz', 'livez', 'readyz']

/** One check. `run` rejects if it fails. An ApiError's message is in the response of this single check. */
export interface HealthCheck {
  readonly name: string
  readonly endpoints: readonly HealthEndpoint[]
  readonly run: () => Promise<void>
}

type Standing = 'holds' | 'stored' | 'running'

/**
 * The checks of kube-apiserver that have a meaning here, in its order. Monitoring requests them by name or excludes them.
 *
 * 'holds': the check passes whenever this code runs. The check of a post-start hook reports that a step after the start has
 * completed. Here all steps have completed when a request arrives: caches are filled on demand, so there are no informers to wait
 * for, and writes start the controllers.
 *
 * 'stored': the hook creates objects (namespaces, roles, priority classes, the range of Services' addresses, the APIServices of
 * the served versions and their availability). Here they are created with the cluster, so they exist if the store responds.
 *
 * 'running': a local server that waits before it stops is not ready meanwhile. On Cloudflare the check passes.
 *
 * Checks of features that do not exist here are missing: other servers of the cluster (peers, identity leases), the
 * loopback certificate, repair of Service addresses (they are allocated in the commit that writes the Service), tracking
 * of legacy tokens. A request for one of them is a 404; excluding it gives a warning.
 */
const checks: readonly (readonly [string, Standing, readonly HealthEndpoint[]])[] = [
  ['ping', 'holds', endpoints],
  ['log', 'holds', endpoints],
  ['etcd', 'stored', endpoints],
  ['etcd-readiness', 'stored', ['readyz']],
  ['informer-sync', 'holds', ['readyz']],
  ['poststarthook/start-apiserver-admission-initializer', 'holds', endpoints],
  ['poststarthook/generic-apiserver-start-informers', 'holds', endpoints],
  ['poststarthook/priority-and-fairness-config-consumer', 'holds', endpoints],
  ['poststarthook/priority-and-fairness-filter', 'holds', endpoints],
  ['poststarthook/storage-object-count-tracker-hook', 'holds', endpoints],
  ['poststarthook/start-apiextensions-informers', 'holds', endpoints],
  ['poststarthook/start-apiextensions-controllers', 'holds', endpoints],
  ['poststarthook/crd-informer-synced', 'holds', endpoints],
  ['poststarthook/start-system-namespaces-controller', 'stored', endpoints],
  ['poststarthook/start-cluster-authentication-info-controller', 'stored', endpoints],
  ['poststarthook/storage-readiness', 'stored', endpoints],
  ['poststarthook/rbac/bootstrap-roles', 'stored', endpoints],
  ['poststarthook/scheduling/bootstrap-system-priority-classes', 'stored', endpoints],
  ['poststarthook/priority-and-fairness-config-producer', 'stored', endpoints],
  ['poststarthook/bootstrap-controller', 'stored', endpoints],
  ['poststarthook/start-kubernetes-service-cidr-controller', 'stored', endpoints],
  ['poststarthook/aggregator-reload-proxy-client-cert', 'holds', endpoints],
  ['poststarthook/start-kube-aggregator-informers', 'holds', endpoints],
  ['poststarthook/apiservice-status-local-available-controller', 'stored', endpoints],
  ['poststarthook/apiservice-status-remote-available-controller', 'holds', endpoints],
  ['poststarthook/apiservice-registration-controller', 'holds', endpoints],
  ['poststarthook/apiservice-discovery-controller', 'holds', endpoints],
  ['poststarthook/kube-apiserver-autoregistration', 'holds', endpoints],
  ['autoregister-completion', 'holds', endpoints],
  ['poststarthook/apiservice-openapi-controller', 'holds', endpoints],
  ['poststarthook/apiservice-openapiv3-controller', 'holds', endpoints],
  ['shutdown', 'running', ['readyz']],
]

/**
 * Returns all checks.
 * @param etcd calls the store and rejects if it does not respond; it runs once for all checks of a request
 * @param running rejects if the server is about to stop
 */
export function healthChecks(etcd: () => Promise<void>, running = async (): Promise<void> => {}): HealthCheck[] {
  const runs: Readonly<Record<Standing, HealthCheck['run']>> = { holds: async () => {}, stored: etcd, running }
  return checks.map(([name, standing, belongsTo]) => ({ name, endpoints: belongsTo, run: runs[standing] }))
}

/** Returns the paths of the checks for the list at /. */
export function healthPaths(all: readonly HealthCheck[]): string[] {
  const single = all.flatMap((check) => check.endpoints.map((endpoint) => `/${endpoint}/${check.name}`))
  return [...endpoints.map((endpoint) => `/${endpoint}`), ...single]
}

function text(status: number, body: string, headers: { readonly [name: string]: string }): Response {
  return new Response(body, { status, headers: { ...noCache, 'Content-Type': 'text/plain; charset=utf-8', ...headers } })
}

const nosniff = { 'X-Content-Type-Options': 'nosniff' }

/** Returns the checks of an endpoint. In the grace period after a start all checks of /livez succeed without being run. */
function checksOf(all: readonly HealthCheck[], endpoint: HealthEndpoint, graceUntil: number): readonly HealthCheck[] {
  const own = all.filter((check) => check.endpoints.includes(endpoint))
  if (endpoint !== 'livez' || Date.now() >= graceUntil) return own
  return own.map((check) => ({ ...check, run: async () => undefined }))
}

async function serveCheck(check: HealthCheck): Promise<Response> {
  try {
    await check.run()
  } catch (error) {
    const reason = error instanceof ApiError ? error.message : 'reason withheld'
    return text(500, `internal server error: ${reason}\n`, nosniff)
  }
  return text(200, 'ok', {})
}

interface Result {
  readonly line: string
  readonly failed: boolean
}

/** Runs the checks that are not excluded, those with the same function once. */
function runAll(all: readonly HealthCheck[], excluded: ReadonlySet<string>): Promise<Result[]> {
  const running = new Map<() => Promise<void>, Promise<boolean>>()
  const start = (run: () => Promise<void>): Promise<boolean> => {
    const outcome =
      running.get(run) ??
      run().then(
        () => true,
        () => false,
      )
    running.set(run, outcome)
    return outcome
  }
  return Promise.all(
    all.map(async ({ name, run }) => {
      if (excluded.has(name)) return { line: `[+]${name} excluded: ok\n`, failed: false }
      if (await start(run)) return { line: `[+]${name} ok\n`, failed: false }
      return { line: `[-]${name} failed: reason withheld\n`, failed: true }
    }),
  )
}

async function serveEndpoint(request: Request, endpoint: HealthEndpoint, all: readonly HealthCheck[]): Promise<Response> {
  const query = new URL(request.url).searchParams
  const excluded = new Set(query.getAll('exclude'))
  const results = await runAll(all, excluded)
  const unknown = [...excluded].filter((name) => !all.some((check) => check.name === name)).sort()
  const warning = `warn: some health checks cannot be excluded: no matches for ${unknown.map(goQuote).join(',')}\n`
  const lines = results.map(({ line }) => line).join('') + (unknown.length > 0 ? warning : '')
  if (results.some(({ failed }) => failed)) return text(500, `${lines}${endpoint} check failed\n`, nosniff)
  return text(200, query.has('verbose') ? `${lines}${endpoint} check passed\n` : 'ok', nosniff)
}

/**
 * Returns the response to a health path, or undefined for other paths, among them those of unknown checks. Never throws.
 * @param graceUntil the end of the grace period of /livez, in milliseconds since the epoch
 */
export async function serveHealth(
  request: Request,
  path: string,
  all: readonly HealthCheck[],
  graceUntil = 0,
): Promise<Response | undefined> {
  for (const endpoint of endpoints) {
    const own = checksOf(all, endpoint, graceUntil)
    if (path === `/${endpoint}`) return serveEndpoint(request, endpoint, own)
    const single = own.find(({ name }) => path === `/${endpoint}/${name}`)
    if (single !== undefined) return serveCheck(single)
  }
  return undefined
}

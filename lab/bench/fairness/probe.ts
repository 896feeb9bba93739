/**
 * The probe requests that must not wait: renewals of Leases as in leader election, with a ServiceAccount's token, and small
 * patches.
 */
import { setTimeout as after } from 'node:timers/promises'
import { type TimedClient, timedClientOf } from './client.ts'

/** The interval between two requests of a kind, in milliseconds, even if earlier ones are unanswered. */
const interval = 100
/** There are enough Leases that each gets its response before its next renewal. */
const leaseCount = 100
const namespace = 'kube-system'
const account = 'prober'
const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`
const configMap = '/api/v1/namespaces/default/configmaps/probed'

/** Latencies in milliseconds. */
export interface Times {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** The result of a probe. */
export interface Probed {
  readonly 'lease PUT': Times
  readonly 'lease GET': Times
  readonly 'small PATCH': Times
}

const leaseSpec = (at: Date): object => ({
  holderIdentity: 'prober',
  leaseDurationSeconds: 15,
  renewTime: at.toISOString().replace('Z', '000Z'),
  acquireTime: '2026-01-01T00:00:00.000000Z',
})

async function must(client: TimedClient, path: string, method: string, body: unknown): Promise<string> {
  const { status, text } = await client(path, { method, body })
  if (status >= 300 && status !== 409) throw new Error(`${method} ${path}: ${status} ${text}`)
  return text
}

/** Creates the account, its permissions and the probed objects; returns the account's client. */
export async function prepareProbe(url: string, admin: TimedClient): Promise<TimedClient> {
  await must(admin, `/api/v1/namespaces/${namespace}/serviceaccounts`, 'POST', { metadata: { name: account } })
  await must(admin, '/apis/rbac.authorization.k8s.io/v1/clusterroles', 'POST', {
    metadata: { name: account },
    rules: [
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'update'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['patch'] },
    ],
  })
  await must(admin, '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', 'POST', {
    metadata: { name: account },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: account },
    subjects: [{ kind: 'ServiceAccount', namespace, name: account }],
  })
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`
  const { status } = JSON.parse(await must(admin, path, 'POST', { spec: {} })) as { status: { token: string } }
  for (let i = 0; i < leaseCount; i++) {
    await must(admin, leases, 'POST', { metadata: { name: `probe-${i}` }, spec: leaseSpec(new Date()) })
  }
  await must(admin, '/api/v1/namespaces/default/configmaps', 'POST', { metadata: { name: 'probed' } })
  return timedClientOf(url, status.token)
}

function timesOf(times: readonly number[]): Times {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number): number => Number((sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(1))
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}

/** Renews and patches for this number of seconds. */
export async function probe(client: TimedClient, seconds: number): Promise<Probed> {
  const [puts, gets, patches]: [number[], number[], number[]] = [[], [], []]
  const renew = async (name: string): Promise<void> => {
    const found = await client(`${leases}/${name}`)
    gets.push(found.milliseconds)
    const lease = JSON.parse(found.text) as { spec: unknown }
    lease.spec = leaseSpec(new Date())
    const { status, text, milliseconds } = await client(`${leases}/${name}`, { method: 'PUT', body: lease })
    // 409: the next renewal came before this response.
    if (status !== 200 && status !== 409) throw new Error(`a Lease: ${status} ${text}`)
    puts.push(milliseconds)
  }
  const patch = async (i: number): Promise<void> => {
    const { status, text, milliseconds } = await client(configMap, { method: 'PATCH', body: { data: { i: String(i) } } })
    if (status !== 200) throw new Error(`a patch: ${status} ${text}`)
    patches.push(milliseconds)
  }
  const under: Promise<void>[] = []
  const began = performance.now()
  for (let i = 0; performance.now() - began < seconds * 1000; i++) {
    under.push(renew(`probe-${i % leaseCount}`), patch(i))
    await after(Math.max(0, began + (i + 1) * interval - performance.now()))
  }
  await Promise.all(under)
  return { 'lease PUT': timesOf(puts), 'lease GET': timesOf(gets), 'small PATCH': timesOf(patches) }
}

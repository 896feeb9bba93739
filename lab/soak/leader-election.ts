/**
 * Runs the real kube-controller-manager and kube-scheduler with leader election against Edgeplane, while six processes create and
 * delete namespaces, owners, small definitions and definitions of 400 KB, fetch OpenAPI v2 and list.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as after } from 'node:timers/promises'
import type { Endpoint } from '../../test/client.ts'
import { type TimedClient, timedClientOf } from '../bench/fairness/client.ts'
import { prepareProbe, probe } from '../bench/fairness/probe.ts'
import { command, number, required, text, type Values } from '../command.ts'
import { freePort } from '../free-port.ts'
import { serverOptions, withServer } from '../servers.ts'

const options = {
  controllerManager: required(text('PATH', 'a kube-controller-manager of the emulated release')),
  scheduler: required(text('PATH', 'a kube-scheduler of that release')),
  seconds: number('N', 'the time', 300),
  processes: number('N', 'the processes beside them', 6),
  ...serverOptions,
}

/** A program with leader election and its results. */
interface Elected {
  readonly name: string
  readonly child: ChildProcess
  /** Log lines about a lost Lease or a failed renewal. */
  readonly complaints: string[]
  renewedAt: string
  longestPause: number
}

/** Matches log lines about the Lease. */
const ofLease = /leaderelection|renew lease|lost lease|failed to (?:acquire|update|renew)/i

function startElected(folder: string, name: string, program: string, kubeconfig: string, port: number): Elected {
  const options = [
    `--kubeconfig=${kubeconfig}`,
    '--leader-elect=true',
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${join(folder, name)}`,
    ...(name === 'kube-controller-manager' ? [] : [`--authentication-kubeconfig=${kubeconfig}`]),
  ]
  const child = spawn(program, options, { stdio: ['ignore', 'ignore', 'pipe'] })
  const complaints: string[] = []
  const log = createWriteStream(join(folder, `${name}.log`))
  if (child.stderr === null) throw new Error('no pipe')
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.write(`${line}\n`)
    if (/^[EF]/.test(line) && ofLease.test(line)) complaints.push(line)
  })
  return { name, child, complaints, renewedAt: '', longestPause: 0 }
}

/** Polls a Lease until the given time, and records the longest time between two renewals. */
async function follow(client: TimedClient, elected: Elected, until: number): Promise<void> {
  while (Date.now() < until) {
    const { status, text } = await client(`/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${elected.name}`)
    const { renewTime = '' } = status === 200 ? (JSON.parse(text) as { spec: { renewTime?: string } }).spec : {}
    if (elected.renewedAt !== '' && renewTime !== elected.renewedAt) {
      elected.longestPause = Math.max(elected.longestPause, Date.parse(renewTime) - Date.parse(elected.renewedAt))
    }
    elected.renewedAt = renewTime
    await after(200)
  }
}

async function accountToken(admin: TimedClient): Promise<string> {
  const accounts = '/api/v1/namespaces/kube-system/serviceaccounts'
  await admin(accounts, { method: 'POST', body: { metadata: { name: 'control-plane' } } })
  await admin('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    method: 'POST',
    body: {
      metadata: { name: 'control-plane' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', namespace: 'kube-system', name: 'control-plane' }],
    },
  })
  const body = { spec: { expirationSeconds: 86_400 } }
  const { text } = await admin(`${accounts}/control-plane/token`, { method: 'POST', body })
  return (JSON.parse(text) as { status: { token: string } }).status.token
}

function writeKubeconfig(file: string, url: string, token: string): void {
  const clusters = [{ name: 'c', cluster: { server: url, 'insecure-skip-tls-verify': true } }]
  const contexts = [{ name: 'x', context: { cluster: 'c', user: 'u' } }]
  const users = [{ name: 'u', user: { token } }]
  const config = { apiVersion: 'v1', kind: 'Config', clusters, users, contexts, 'current-context': 'x' }
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 })
}

type Programs = Readonly<Record<string, string>>

/**
 * Runs everything.
 * @returns whether a Lease was lost
 */
async function measure(
  { url, token }: Endpoint,
  programs: Programs,
  { seconds, processes }: Values<typeof options>,
): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'edgeplane-soak-'))
  const admin = timedClientOf(url, token)
  const kubeconfig = join(folder, 'kubeconfig')
  writeKubeconfig(kubeconfig, url, await accountToken(admin))
  const prober = await prepareProbe(url, admin)
  const elected: Elected[] = []
  for (const [name, program] of Object.entries(programs)) {
    elected.push(startElected(folder, name, program, kubeconfig, await freePort()))
  }
  await after(5000)
  const until = Date.now() + seconds * 1000
  const loads = Array.from({ length: processes }, (_, i) =>
    fork(join(import.meta.dirname, 'leader-election/load.ts'), [url, token, String(i), String(until)]),
  )
  const [probed] = await Promise.all([probe(prober, seconds), ...elected.map((each) => follow(admin, each, until))])
  console.info('beside them', JSON.stringify(probed))
  let lost = false
  for (const { name, child, complaints, longestPause } of elected) {
    // A program logs that it has lost its Lease before it exits.
    const ended =
      child.exitCode !== null || child.signalCode !== null || complaints.some((line) => /leaderelection lost/i.test(line))
    lost ||= ended
    console.info(`${name}: ${ended ? 'LOST its Lease' : 'kept its Lease'}; at most ${longestPause} ms between two renewals`)
    for (const line of complaints.slice(0, 5)) console.info(`  ${line}`)
    if (!ended) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  }
  for (const load of loads) load.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
  return lost
}

export default command({
  about: `Prints which of them lost its Lease, the longest time between two renewals of each, and the latency of renewals with a
ServiceAccount's token. Fails if a Lease was lost.`,
  options,
  async run(values) {
    const programs = { 'kube-controller-manager': values.controllerManager, 'kube-scheduler': values.scheduler }
    const isLost = await withServer(values, (server) => measure(server, programs, values))
    if (isLost) process.exitCode = 1
  },
})

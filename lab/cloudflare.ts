/**
 * The test on a real account: deploys, runs a story of kubectl, upgrades under a watch, backs up, restores, rolls back and
 * destroys. Needs CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID, and kubectl on the PATH; it costs less than a cent.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

const program = resolve(import.meta.dirname, '../../bin/edgeplane.mjs')
const name = `edgeplane-test-${Date.now().toString(36)}`
const folder = mkdtempSync(join(tmpdir(), 'edgeplane-cloudflare-'))
const kubeconfig = join(folder, '.edgeplane/cloudflare', name, 'kubeconfig')

/** Runs a program that has to succeed. Returns its standard output. */
function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28 })
  if (status === 0) return stdout
  throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
}

const edgeplane = (...args: string[]): string => run(process.execPath, program, ...args)
const kubectl = (...args: string[]): string => run('kubectl', '--kubeconfig', kubeconfig, ...args)
const wrangler = (...args: string[]): string => run('npx', 'wrangler', ...args)

function expectText(text: string, part: string): void {
  if (!text.includes(part)) throw new Error(`${JSON.stringify(part)} is missing in:\n${text}`)
}

/** Opens a watch, calls a function, and waits until the watch has shown a name. */
async function whileWatching(shown: string, act: () => void): Promise<void> {
  const watch = spawn('kubectl', ['--kubeconfig', kubeconfig, 'get', 'configmaps', '--watch', '-o', 'name'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: watch.stdout })
  await once(lines, 'line')
  const seen = (async () => {
    for await (const line of lines) if (line.endsWith(`/${shown}`)) return true
    return false
  })()
  act()
  // A watch may end at an upgrade: kubectl then exits, as it does with any kube-apiserver, and the object is there.
  const isSeen = await seen
  watch.kill()
  console.log(`  the watch ${isSeen ? 'has shown' : 'has ended before it showed'} ${shown}`)
  expectText(kubectl('get', 'configmaps', '-o', 'name'), `configmap/${shown}`)
}

/** Prints the requests to Durable Objects and their duration, which tell whether idle watches hibernate. */
async function printCounts(): Promise<void> {
  const { CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_ACCOUNT_ID: account } = process.env
  const query = `{ viewer { accounts(filter: {accountTag: "${account}"}) { durableObjectsPeriodicGroups(limit: 10, filter: {date_geq: "${new Date().toISOString().slice(0, 10)}"}) { sum { activeTime cpuTime } } } } }`
  const response = await fetch('https://api.cloudflare.com/client/v4/graphql', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  console.log(`  counts of the account: ${await response.text()}`)
}

const steps: readonly (readonly [string, () => void | Promise<void>])[] = [
  ['deploy', () => expectText(edgeplane('deploy', '--name', name), 'a Kubernetes API server is ready')],
  ['status', () => expectText(edgeplane('status', '--name', name), 'yes')],
  ['kubectl: create, apply, get, delete', story],
  ['a watch with an idle time, then the counts of the account', () => whileWatching('first', () => idleThenCreate('first'))],
  ['counts', printCounts],
  ['upgrade under a watch', () => whileWatching('second', () => upgradeThenCreate('second'))],
  ['backup', () => expectText(edgeplane('backup', 'backup', '--kubeconfig', kubeconfig), 'objects of')],
  ['restore --replace', restored],
  ['rollback', () => void wrangler('rollback', '--name', name, '--message', 'test', '--yes')],
  ['kubectl after the rollback', () => expectText(kubectl('get', 'configmaps', '-o', 'name'), 'configmap/first')],
]

function story(): void {
  kubectl('create', 'namespace', 'shop')
  kubectl('create', 'deployment', 'web', '--image=nginx', '-n', 'shop')
  expectText(kubectl('get', 'deployments', '-n', 'shop'), 'web')
  kubectl('delete', 'namespace', 'shop', '--timeout=120s')
}

/** Longer than the ten seconds after which an idle object is evicted. */
function idleThenCreate(object: string): void {
  run('sleep', '30')
  kubectl('create', 'configmap', object)
}

function upgradeThenCreate(object: string): void {
  edgeplane('upgrade', '--name', name)
  kubectl('create', 'configmap', object)
}

function restored(): void {
  kubectl('delete', 'configmap', 'first')
  kubectl('create', 'configmap', 'later')
  edgeplane('restore', 'backup', '--replace', '--kubeconfig', kubeconfig)
  const names = kubectl('get', 'configmaps', '-o', 'name')
  expectText(names, 'configmap/first')
  if (names.includes('configmap/later')) throw new Error('a restore must delete what was created after the backup')
}

async function main(): Promise<number> {
  if (!process.env.CLOUDFLARE_API_TOKEN || !process.env.CLOUDFLARE_ACCOUNT_ID) {
    console.log('test:cloudflare was NOT run: CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID are not set.')
    return 0
  }
  let failed = 0
  try {
    for (const [title, step] of steps) {
      console.log(title)
      await step()
    }
  } catch (error) {
    console.error(error)
    failed = 1
  }
  console.log('destroy')
  edgeplane('destroy', '--name', name, '--yes')
  rmSync(folder, { recursive: true, force: true })
  console.log(failed === 0 ? 'test:cloudflare: all steps passed' : 'test:cloudflare: a step FAILED')
  return failed
}

process.exitCode = await main()

/**
 * The test on a real account: deploys, runs a story of kubectl, upgrades under a watch, backs up, restores, rolls back and
 * destroys. It costs less than a cent.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { command } from './command.ts'
import { root } from './root.ts'

const program = join(root, 'bin/edgeplane.mjs')

function expectText(text: string, part: string): void {
  if (!text.includes(part)) throw new Error(`${JSON.stringify(part)} is missing in:\n${text}`)
}

/** A deployment that is made, used and destroyed. */
class Story {
  readonly #name = `edgeplane-test-${Date.now().toString(36)}`
  readonly #folder = mkdtempSync(join(tmpdir(), 'edgeplane-cloudflare-'))
  readonly #kubeconfig = join(this.#folder, '.edgeplane/cloudflare', this.#name, 'kubeconfig')

  /** Runs a program that has to succeed. Returns its standard output. */
  #run(command: string, ...args: string[]): string {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: this.#folder, encoding: 'utf8', maxBuffer: 2 ** 28 })
    if (status === 0) return stdout
    throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
  }

  #edgeplane(...args: string[]): string {
    return this.#run(process.execPath, program, ...args)
  }

  #kubectl(...args: string[]): string {
    return this.#run('kubectl', '--kubeconfig', this.#kubeconfig, ...args)
  }

  #wrangler(...args: string[]): string {
    return this.#run('npx', 'wrangler', ...args)
  }

  /** Opens a watch, calls a function, and waits until the watch has shown a name. */
  async #whileWatching(shown: string, act: () => void): Promise<void> {
    const watch = spawn('kubectl', ['--kubeconfig', this.#kubeconfig, 'get', 'configmaps', '--watch', '-o', 'name'], {
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
    expectText(this.#kubectl('get', 'configmaps', '-o', 'name'), `configmap/${shown}`)
  }

  /** Prints the requests to Durable Objects and their duration, which tell whether idle watches hibernate. */
  async #printCounts(): Promise<void> {
    const { CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_ACCOUNT_ID: account } = process.env
    const query = `{ viewer { accounts(filter: {accountTag: "${account}"}) { durableObjectsPeriodicGroups(limit: 10, filter: {date_geq: "${new Date().toISOString().slice(0, 10)}"}) { sum { activeTime cpuTime } } } } }`
    const response = await fetch('https://api.cloudflare.com/client/v4/graphql', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })
    console.log(`  counts of the account: ${await response.text()}`)
  }

  readonly #steps: readonly (readonly [string, () => void | Promise<void>])[] = [
    ['deploy', () => expectText(this.#edgeplane('deploy', '--name', this.#name), 'a Kubernetes API server is ready')],
    ['status', () => expectText(this.#edgeplane('status', '--name', this.#name), 'yes')],
    ['kubectl: create, apply, get, delete', () => this.#story()],
    [
      'a watch with an idle time, then the counts of the account',
      () => this.#whileWatching('first', () => this.#idleThenCreate('first')),
    ],
    ['counts', () => this.#printCounts()],
    ['upgrade under a watch', () => this.#whileWatching('second', () => this.#upgradeThenCreate('second'))],
    ['backup', () => expectText(this.#edgeplane('backup', 'backup', '--kubeconfig', this.#kubeconfig), 'objects of')],
    ['restore --replace', () => this.#restored()],
    ['rollback', () => void this.#wrangler('rollback', '--name', this.#name, '--message', 'test', '--yes')],
    ['kubectl after the rollback', () => expectText(this.#kubectl('get', 'configmaps', '-o', 'name'), 'configmap/first')],
  ]

  #story(): void {
    this.#kubectl('create', 'namespace', 'shop')
    this.#kubectl('create', 'deployment', 'web', '--image=nginx', '-n', 'shop')
    expectText(this.#kubectl('get', 'deployments', '-n', 'shop'), 'web')
    this.#kubectl('delete', 'namespace', 'shop', '--timeout=120s')
  }

  /** Longer than the ten seconds after which an idle object is evicted. */
  #idleThenCreate(object: string): void {
    this.#run('sleep', '30')
    this.#kubectl('create', 'configmap', object)
  }

  #upgradeThenCreate(object: string): void {
    this.#edgeplane('upgrade', '--name', this.#name)
    this.#kubectl('create', 'configmap', object)
  }

  #restored(): void {
    this.#kubectl('delete', 'configmap', 'first')
    this.#kubectl('create', 'configmap', 'later')
    this.#edgeplane('restore', 'backup', '--replace', '--kubeconfig', this.#kubeconfig)
    const names = this.#kubectl('get', 'configmaps', '-o', 'name')
    expectText(names, 'configmap/first')
    if (names.includes('configmap/later')) throw new Error('a restore must delete what was created after the backup')
  }

  /** Tells it. Returns whether each step succeeded. */
  async tell(): Promise<boolean> {
    try {
      for (const [title, step] of this.#steps) {
        console.log(title)
        await step()
      }
      return true
    } catch (error) {
      console.error(error)
      return false
    } finally {
      console.log('destroy')
      this.#edgeplane('destroy', '--name', this.#name, '--yes')
      rmSync(this.#folder, { recursive: true, force: true })
    }
  }
}

export default command({
  about: 'Needs CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID, and kubectl on the PATH; it costs less than a cent.',
  async run() {
    if (!process.env.CLOUDFLARE_API_TOKEN || !process.env.CLOUDFLARE_ACCOUNT_ID) {
      console.log('It was NOT run: CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID are not set.')
      return
    }
    const isTrue = await new Story().tell()
    console.log(isTrue ? 'all steps passed' : 'a step FAILED')
    if (!isTrue) process.exitCode = 1
  },
})

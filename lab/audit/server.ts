/** Starts the instrumented build on `wrangler dev`, with the project's own wrangler.toml. */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../free-port.ts'
import { root } from '../root.ts'
import { type Reading, readingPath } from './usage.ts'

const wrangler = join(dirname(createRequire(import.meta.url).resolve('wrangler/package.json')), 'bin/wrangler.js')

export const adminToken = 'audit'

/** The time in milliseconds within which an alarm is waited for. */
const nearAlarm = 4_000

/** The time in milliseconds after which a start has failed: wrangler waits for a source that it can build. */
const longestStart = 120_000

const counts = ({ usage }: Reading): string => JSON.stringify({ ...usage, heldSeconds: 0 })

/** An instrumented server. */
export class AuditedServer {
  readonly url: string
  readonly #child: ChildProcess
  readonly #directory: string
  /** At the last reading. */
  #workerRequests = 0

  constructor(url: string, child: ChildProcess, directory: string) {
    this.url = url
    this.#child = child
    this.#directory = directory
  }

  /** @throws Error if wrangler has built the server again, because its sources have changed: the counters begin at 0 then. */
  async read(): Promise<Reading> {
    const found = (await (await fetch(this.url + readingPath)).json()) as Reading
    const { workerRequests } = found.usage
    if (workerRequests < this.#workerRequests) throw new Error('the sources of the server changed during the measurement')
    this.#workerRequests = workerRequests
    return found
  }

  /** Waits until nothing is counted any more and no alarm is due within seconds. */
  async settled(): Promise<Reading> {
    for (let last = await this.read(); ; ) {
      await pause(200)
      const next = await this.read()
      const soon = Object.values(next.alarmsDue).some((at) => at < Date.now() + nearAlarm)
      if (!soon && counts(next) === counts(last)) return next
      last = next
    }
  }

  /** Waits until no alarm is set. Work that was still in progress when an object set its alarm has one after a minute. */
  async quiet(): Promise<void> {
    while (Object.keys((await this.read()).alarmsDue).length > 0) await pause(1000)
  }

  /** Ends the server and deletes its data. */
  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    if (this.#child.exitCode === null && this.#child.kill('SIGTERM')) await ended
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

/**
 * Starts a server with fresh data.
 * @param settings variables of the deployment, instead of those in wrangler.toml
 * @throws Error with the output of wrangler if it does not serve, for example because the build failed
 */
export async function startAuditedServer(settings: Readonly<Record<string, string>>): Promise<AuditedServer> {
  const directory = mkdtempSync(join(tmpdir(), 'edgeplane-audit-'))
  const variables = join(directory, 'variables')
  writeFileSync(variables, `ADMIN_TOKEN=${adminToken}\n`)
  const port = await freePort()
  const args = ['dev', 'lab/audit/worker.ts', '--config', 'wrangler.toml', '--env-file', variables]
  args.push('--persist-to', join(directory, 'state'), '--ip', '127.0.0.1', '--port', String(port), '--inspector-port', '0')
  args.push('--log-level', 'warn', '--show-interactive-dev-session=false')
  for (const [name, value] of Object.entries(settings)) args.push('--var', `${name}:${value}`)
  const child = spawn(process.execPath, [wrangler, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, CLOUDFLARE_CF_FETCH_ENABLED: 'false', WRANGLER_SEND_METRICS: 'false' },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const server = new AuditedServer(`http://127.0.0.1:${port}`, child, directory)
  const deadline = Date.now() + longestStart
  while (!(await answers(server))) {
    if (child.exitCode === null && Date.now() < deadline) {
      await pause(100)
      continue
    }
    await server.stop()
    throw new Error(`wrangler dev does not serve:\n${output}`)
  }
  return server
}

const answers = (server: AuditedServer): Promise<boolean> =>
  server.read().then(
    () => true,
    () => false,
  )

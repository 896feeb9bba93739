/** The servers of comparisons: Edgeplane, and the real kube-apiserver with etcd. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from '../scripts/free-port.ts'

export const root = resolve(import.meta.dirname, '..')

/** A server under load. */
export interface Peer {
  readonly name: 'edgeplane' | 'kube-apiserver'
  readonly url: string
  readonly token: string
  /** The processes whose memory is measured. */
  readonly pids: readonly number[]
  readonly child: ChildProcess
}

async function firstLine(child: ChildProcess, wanted: (text: string) => boolean): Promise<string> {
  let text = ''
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk)
    if (wanted(text)) return text
  }
  throw new Error(`the server ended: ${text}`)
}

/** The command line options of comparisons with the real server. */
export const comparisonOptions = {
  reference: { type: 'string' },
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '6' },
} as const

/** Returns a process and all its descendants. */
export function family(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])] as const]
      } catch {
        return []
      }
    })
  const found = [pid]
  for (const above of found) found.push(...parents.filter(([, parent]) => parent === above).map(([child]) => child))
  return found
}

/** Starts Edgeplane. @param options of `edgeplane start` */
export async function startOurs(data: string, options: readonly string[] = []): Promise<Peer> {
  const port = await freePort()
  const child = spawn(
    process.execPath,
    [join(root, 'bin/edgeplane.mjs'), 'start', '--port', String(port), '--data-dir', data, ...options],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  await firstLine(child, (text) => text.includes('Stop it'))
  const token = readFileSync(join(data, 'admin-token'), 'utf8').trim()
  return { name: 'edgeplane', url: `https://127.0.0.1:${port}`, token, pids: family(child.pid ?? 0), child }
}

/** Chooses a port for the real server, which also uses the next ports: below the range of ephemeral ports. */
const referencePort = (): number => 18_000 + Math.floor(Math.random() * 12_000)

/**
 * Starts the real server.
 * @param folder contains the program that starts it (start.mjs)
 * @param flags further options of kube-apiserver
 */
export async function startReference(folder: string, data: string, flags: readonly string[] = []): Promise<Peer> {
  const more = flags.map((flag) => `--apiserver-flag=${flag}`)
  const given = ['--port', String(referencePort()), '--dir', data, ...more]
  const child = spawn(process.execPath, [join(folder, 'start.mjs'), ...given], { stdio: ['ignore', 'pipe', 'inherit'] })
  const line = await firstLine(child, (text) => text.includes('\n'))
  const { server, token, pids } = JSON.parse(line) as { server: string; token: string; pids: number[] }
  // etcd and kube-apiserver; the controllers are not part of the comparison.
  return { name: 'kube-apiserver', url: server, token, pids: pids.slice(0, 2), child }
}

/** Stops a server. */
export async function endPeer({ child }: Peer): Promise<void> {
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** A description of this machine. */
export const machine = { cores: cpus().length, model: cpus()[0]?.model, node: process.version }

/** Returns the median. */
export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

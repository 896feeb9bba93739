/**
 * Puts the same load on Edgeplane and on the real kube-apiserver with etcd, in one run, in turns:
 *
 *   npm run bench -- side-by-side --reference DIR --measure DIR [--rounds 3] [--seconds 6]
 *
 * `--reference` is the folder of the program that starts the real one (start.mjs), `--measure` that of the load generator
 * (a Go program). Writes bench/results/side-by-side.json: every figure of every round, medians, and the ratios of medians.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort } from '../scripts/free-port.ts'

const root = resolve(import.meta.dirname, '..')

/** A server under load. */
export interface Peer {
  readonly name: 'edgeplane' | 'kube-apiserver'
  readonly url: string
  readonly token: string
  /** Whose memory counts. */
  readonly pids: readonly number[]
  readonly child: ChildProcess
}

/** What the load generator prints. */
type Figures = Record<string, number | Record<string, number>>

async function firstLine(child: ChildProcess, wanted: (text: string) => boolean): Promise<string> {
  let text = ''
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk)
    if (wanted(text)) return text
  }
  throw new Error(`the server ended: ${text}`)
}

/** A process and all below it. */
function family(pid: number): number[] {
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

export async function startOurs(data: string): Promise<Peer> {
  const port = await freePort()
  const child = spawn(process.execPath, [join(root, 'bin/edgeplane.mjs'), 'start', '--port', String(port), '--data-dir', data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await firstLine(child, (text) => text.includes('Stop it'))
  const token = readFileSync(join(data, 'admin-token'), 'utf8').trim()
  return { name: 'edgeplane', url: `https://127.0.0.1:${port}`, token, pids: family(child.pid ?? 0), child }
}

export async function startReference(folder: string, data: string): Promise<Peer> {
  const child = spawn(process.execPath, [join(folder, 'start.mjs'), '--port', String(await freePort()), '--dir', data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const line = await firstLine(child, (text) => text.includes('\n'))
  const { server, token, pids } = JSON.parse(line) as { server: string; token: string; pids: number[] }
  // etcd and kube-apiserver; the controllers are not part of what is compared.
  return { name: 'kube-apiserver', url: server, token, pids: pids.slice(0, 2), child }
}

function load(program: string, peer: Peer, only: string, seconds: string): Figures {
  const args = ['--server', peer.url, '--token', peer.token, '--pids', peer.pids.join(','), '--only', only, '--seconds', seconds]
  return JSON.parse(execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })) as Figures
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** `create.perSecond` and the like, each with its value. */
function flat(figures: Figures): Map<string, number> {
  return new Map(
    Object.entries(figures).flatMap(([name, value]) =>
      typeof value === 'number'
        ? [[name, value] as const]
        : Object.entries(value).map(([key, v]) => [`${name}.${key}`, v] as const),
    ),
  )
}

function summary(rounds: readonly Figures[]): Record<string, number> {
  const flats = rounds.map(flat)
  const names = new Set(flats.flatMap((f) => [...f.keys()]))
  return Object.fromEntries([...names].map((name) => [name, median(flats.flatMap((f) => f.get(name) ?? []))]))
}

/** Runs the comparison and writes its result. */
export async function sideBySide(argv: string[]): Promise<void> {
  const { values } = parseArgs({
    args: argv,
    options: {
      reference: { type: 'string' },
      measure: { type: 'string' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '6' },
      only: { type: 'string', default: 'create1,create,get,update,patch,apply,list,selector,chunks,latency,fanout' },
    },
  })
  if (values.reference === undefined || values.measure === undefined) throw new Error('--reference and --measure are needed')
  const work = mkdtempSync(join(tmpdir(), 'edgeplane-bench-'))
  const program = join(work, 'measure')
  execFileSync('go', ['build', '-o', program, '.'], { cwd: values.measure, stdio: 'inherit' })
  const results: Record<Peer['name'], Figures[]> = { edgeplane: [], 'kube-apiserver': [] }
  for (let round = 0; round < Number(values.rounds); round++) {
    // Fresh servers for every round: neither has to carry what an earlier one wrote.
    const starts = [
      () => startOurs(join(work, `ours-${round}`)),
      () => startReference(values.reference ?? '', join(work, `reference-${round}`)),
    ]
    for (const start of round % 2 === 0 ? starts : starts.reverse()) {
      const peer = await start()
      results[peer.name].push(load(program, peer, values.only, values.seconds))
      peer.child.kill('SIGTERM')
      await once(peer.child, 'exit')
      console.log(`round ${round + 1}: ${peer.name}`)
    }
  }
  rmSync(work, { recursive: true, force: true })
  report(results)
}

function report(results: Record<Peer['name'], Figures[]>): void {
  const ours = summary(results.edgeplane)
  const theirs = summary(results['kube-apiserver'])
  const ratios = Object.fromEntries(Object.keys(ours).flatMap((k) => (theirs[k] ? [[k, (ours[k] ?? 0) / theirs[k]]] : [])))
  const machine = { cores: cpus().length, model: cpus()[0]?.model, node: process.version }
  const file = join(root, 'bench/results/side-by-side.json')
  writeFileSync(file, `${JSON.stringify({ machine, medians: { ours, theirs }, ratios, rounds: results }, null, 1)}\n`)
  for (const [name, ratio] of Object.entries(ratios)) {
    console.log(
      `${name.padEnd(20)} ${(ours[name] ?? 0).toFixed(1).padStart(10)} ${(theirs[name] ?? 0).toFixed(1).padStart(10)}  x${ratio.toFixed(2)}`,
    )
  }
}

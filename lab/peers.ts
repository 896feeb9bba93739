/** The servers of comparisons: Edgeplane, and the real kube-apiserver with etcd. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Endpoint } from '../test/client.ts'
import { startServer } from '../test/server.ts'
import { number, required, text } from './command.ts'
import { family } from './processes.ts'

/** A server under load. */
export interface Peer extends Endpoint {
  readonly name: 'edgeplane' | 'kube-apiserver'
  /** The processes whose memory is measured. */
  readonly pids: readonly number[]
  /** Ends the server, and leaves its data. */
  end(): Promise<void>
}

/** The option that says how kube-apiserver is started. */
export const referenceFolder = text('DIR', 'the folder of the program that starts kube-apiserver (start.mjs)')

/** The options of comparisons with the real server, alternating in rounds. */
export const comparisonOptions = {
  reference: required(referenceFolder),
  rounds: number('N', 'how often each server is measured', 3),
  seconds: number('N', 'the seconds of each measurement', 6),
}

/** Starts Edgeplane. @param args of `edgeplane start` */
export async function startOurs(dataDirectory: string, args: readonly string[] = []): Promise<Peer> {
  const { url, token, pid, end } = await startServer({ dataDirectory, args })
  return { name: 'edgeplane', url, token, pids: family(pid), end }
}

/** Chooses a port for the real server, which also uses the next ports: below the range of ephemeral ports. */
const referencePort = (): number => 18_000 + Math.floor(Math.random() * 12_000)

/** The line that the program which starts the real server prints. */
interface Printed {
  readonly server: string
  readonly token: string
  readonly pids: readonly number[]
}

/**
 * Starts the real server.
 * @param folder contains the program that starts it (start.mjs)
 * @param flags further options of kube-apiserver
 */
export async function startReference(folder: string, data: string, flags: readonly string[] = []): Promise<Peer> {
  const args = ['--port', String(referencePort()), '--dir', data, ...flags.map((each) => `--apiserver-flag=${each}`)]
  const child = spawn(process.execPath, [join(folder, 'start.mjs'), ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let line = ''
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    line += String(chunk)
    if (line.includes('\n')) break
  }
  if (!line.includes('\n')) throw new Error(`kube-apiserver ended: ${line}`)
  const { server, token, pids } = JSON.parse(line) as Printed
  const end = async (): Promise<void> => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  // etcd and kube-apiserver; the controllers are not part of the comparison.
  return { name: 'kube-apiserver', url: server, token, pids: pids.slice(0, 2), end }
}

/** Starts servers with new data, in turn, and returns what was measured of each. */
export async function alternately<Figures>(
  { reference, rounds }: { readonly reference: string; readonly rounds: number },
  measure: (peer: Peer) => Figures | Promise<Figures>,
): Promise<Record<Peer['name'], Figures[]>> {
  const all: Record<Peer['name'], Figures[]> = { edgeplane: [], 'kube-apiserver': [] }
  const work = mkdtempSync(join(tmpdir(), 'edgeplane-bench-'))
  for (let round = 0; round < rounds; round++) {
    const starts = [
      () => startOurs(join(work, `ours-${round}`)),
      () => startReference(reference, join(work, `reference-${round}`)),
    ]
    for (const start of round % 2 === 0 ? starts : starts.reverse()) {
      const peer = await start()
      const figures = await measure(peer)
      await peer.end()
      all[peer.name].push(figures)
      console.log(`round ${round + 1}: ${peer.name}`, figures)
    }
  }
  rmSync(work, { recursive: true, force: true })
  return all
}

/** A description of this machine. */
export const machine = { cores: cpus().length, model: cpus()[0]?.model, node: process.version }

/** Returns the median. */
export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** Runs `edgeplane` as a process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

const program = resolve(import.meta.dirname, '../bin/edgeplane.mjs')

/** An `edgeplane` process, running or ended. */
export interface Run {
  readonly child: ChildProcess
  readonly pid: number
  readonly output: { stdout: string; stderr: string }
  /** The exit code, or the name of the signal. */
  readonly exit: Promise<number | string>
}

/** Options for a run of `edgeplane`. */
export interface RunOptions {
  /** A command that runs node. */
  readonly before?: readonly string[]
  readonly node?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly detached?: boolean
}

/** Runs `edgeplane` with these arguments. */
export function runEdgeplane(
  args: readonly string[],
  { before = [], node = [], env = {}, detached = false }: RunOptions = {},
): Run {
  const [command = '', ...rest] = [...before, process.execPath, ...node, program, ...args]
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'], detached, env: { ...process.env, ...env } })
  const output = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => (output.stdout += chunk))
  child.stderr?.on('data', (chunk) => (output.stderr += chunk))
  const exit = once(child, 'exit').then(([code, signal]) => code ?? signal)
  return { child, pid: child.pid ?? 0, output, exit }
}

/** Waits until the server is ready. @throws Error with its output if it exits instead */
export async function ready(run: Run): Promise<void> {
  await new Promise<void>((done, failed) => {
    const check = () => run.output.stdout.includes('Stop it') && done()
    run.child.stdout?.on('data', check)
    void run.exit.then((code) => failed(new Error(`it ended with ${code}: ${run.output.stderr}`)))
    check()
  })
}

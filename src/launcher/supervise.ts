import { once } from 'node:events'
import { existsSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ProxyKind } from './proxy/open-connections.ts'

/** The arguments of the supervisor, supervise.sh. */
export interface Supervision {
  /** The data directory's directory for the running server. */
  readonly run: string
  readonly workerd: string
  /** A directory to remove at exit; undefined if all is kept. */
  readonly temporary: string | undefined
  /** The Unix socket on which workerd listens. */
  readonly socket: string
  /** The file to which workerd's standard output is appended, the audit log. `-`: it is ours; `+`: `command audit-log` gets it. */
  readonly log: string
  /** The proxy that listens in front of workerd. */
  readonly proxy: ProxyKind
  /** The seconds for which workerd goes on after SIGTERM. */
  readonly shutdownDelay: number
  /** Whether the kernel's figures of workerd are copied for the Worker. */
  readonly processMetrics: boolean
  /** This program: node and the script. */
  readonly program: readonly [string, string]
  /** The options for further runs of this program. */
  readonly options: readonly string[]
}

/** Returns the command that runs workerd until the server is stopped: the supervisor's. */
export function supervisorCommand(supervision: Supervision): string[] {
  const { run, workerd, temporary = '', socket, log, proxy, program, options, shutdownDelay, processMetrics } = supervision
  const script = fileURLToPath(new URL('./supervise.sh', import.meta.url).href)
  const told = [String(shutdownDelay), processMetrics ? 'figures' : '-']
  return ['/bin/sh', script, run, workerd, temporary, socket, log, proxy, ...told, ...program, ...options]
}

/**
 * Runs the supervisor's command, and gives the exit code. On systems that can replace a process's program it does not return: the
 * shell goes on in this process's place.
 */
export async function supervise(command: readonly string[]): Promise<number> {
  if (typeof process.execve !== 'function') return await runAsChild(command)
  const [file = '', ...rest] = [...endWithParent(), ...command]
  process.execve(file, [file, ...rest], process.env)
  return 1
}

// npm runs a script in a shell that passes no signal on, and forwards its own signals to that shell only: under npm, the server has
// to end when its parent does, and so does the server of a test that is killed. Elsewhere a server may outlive the shell that started it.
const endsWithParent = [process.env.npm_lifecycle_event, process.env.EDGEPLANE_END_WITH_PARENT].some((set) => set !== undefined)

/** A command in front of the supervisor's that lets the kernel send SIGTERM when the parent ends, on systems that have one. */
function endWithParent(): readonly string[] {
  const setpriv = '/usr/bin/setpriv'
  // busybox has a command of this name without the option.
  if (!endsWithParent || !existsSync(setpriv) || realpathSync(setpriv) !== setpriv) return []
  return [setpriv, '--pdeathsig', 'TERM']
}

/** Runs the supervisor as a child, passes signals on to it, and gives its exit code. */
async function runAsChild([file = '', ...args]: readonly string[]): Promise<number> {
  const { spawn } = await import('node:child_process')
  const child = spawn(file, args, { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR1'] as const) process.on(signal, () => child.kill(signal))
  const parent = process.ppid
  if (endsWithParent) setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref()
  // Ends the supervisor when this process is killed: its input ends only then, unless it is killed before.
  const guard = spawn('/bin/sh', ['-c', 'trap "" INT HUP TERM; read -r _; kill -KILL "$1"', 'guard', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  guard.unref()
  const [code] = await once(child, 'exit')
  guard.kill('SIGKILL')
  return code ?? 1
}

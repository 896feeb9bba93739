import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { AuditFile, type Rotation } from './audit-file.ts'
import { LauncherError } from './launcher-error.ts'

/** What the supervisor runs and looks after. */
export interface Supervision {
  /** The data directory's directory for the running server. */
  readonly run: string
  readonly workerd: string
  /** A directory to remove at exit; undefined where all is kept. */
  readonly temporary: string | undefined
  /** The file that workerd's standard output is appended to: the audit log. `-` where it is ours. */
  readonly log: string
  /** When the log begins anew; undefined where it never does. */
  readonly rotation: Rotation | undefined
  /** The command line that renews the certificate: exit code 0 where it did, 3 where nothing was due. */
  readonly renew: readonly [string, ...string[]]
  /** What only this process can do; undefined where there is nothing, and a small shell may take its place. */
  readonly resident: Resident | undefined
}

/** Work that goes on in the launcher as long as workerd runs. */
export interface Resident {
  /** Begins it: workerd is ready. Throws LauncherError where it cannot. */
  start(): Promise<void>
  /** There is a new certificate. */
  renewed(): Promise<void>
  stop(): void
}

// workerd gets this long to end its requests; an open watch would keep it alive for ever.
const grace = 1000
const renewInterval = 12 * 60 * 60 * 1000

/**
 * Runs workerd until it is told to stop, and gives the exit code. Where the system can replace a process's program, it does not
 * return: a small shell script goes on in this process's place, and behaves the same.
 * @throws LauncherError where workerd ends by itself
 */
export async function supervise(supervision: Supervision): Promise<number> {
  const { run, workerd, temporary, log, rotation, renew, resident } = supervision
  if (resident === undefined && rotation === undefined && typeof process.execve === 'function' && process.platform !== 'win32') {
    const script = fileURLToPath(new URL('./supervise.sh', import.meta.url).href)
    const command = [...endWithParent(), '/bin/sh', script, run, workerd, temporary ?? '', log, ...renew]
    process.execve(command[0] ?? '', command, process.env)
  }
  try {
    return await superviseHere(supervision)
  } finally {
    const files = ['ready', 'worker.js', 'workerd.capnp', 'workerd.pid', 'workerd.sock', 'front-header', 'lock']
    for (const file of files) rmSync(join(run, file), { force: true })
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true })
  }
}

// npm runs a script in a shell that passes no signal on, and forwards its own signals to that shell only: under npm, the end of
// the parent has to be ours. Elsewhere a server may outlive the shell that started it.
const underNpm = process.env.npm_lifecycle_event !== undefined

/** A command in front of the supervisor's that lets the kernel send SIGTERM when the parent ends, where there is one. */
function endWithParent(): readonly string[] {
  const setpriv = '/usr/bin/setpriv'
  // busybox has a command of this name without the option.
  if (!underNpm || !existsSync(setpriv) || realpathSync(setpriv) !== setpriv) return []
  return [setpriv, '--pdeathsig', 'TERM']
}

async function superviseHere({ run, workerd, log, rotation, renew, resident }: Supervision): Promise<number> {
  const stop = new Promise<'stop'>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve('stop'))
    const parent = process.ppid
    if (underNpm) setInterval(() => process.ppid !== parent && resolve('stop'), 500).unref()
  })
  const output = outputOf(log, rotation)
  let child = await startWorkerd(run, workerd, output)
  try {
    await resident?.start()
    if (child.exitCode === null && child.signalCode === null) process.stdout.write(readFileSync(join(run, 'ready')))
    for (;;) {
      const due = renewalDue()
      const event = await Promise.race([stop, ended(child), due.promise])
      due.cancel()
      if (event === 'ended')
        throw new LauncherError(`workerd ended unexpectedly (exit status ${child.exitCode ?? child.signalCode}).`)
      if (event === 'stop') return 0
      if (!(await renewed(renew))) continue
      await endWorkerd(child)
      child = await startWorkerd(run, workerd, output)
      await resident?.renewed()
    }
  } finally {
    resident?.stop()
    await endWorkerd(child)
    if (output instanceof AuditFile) output.close()
  }
}

/** Where workerd's standard output goes. */
type Output = 'inherit' | number | AuditFile

function outputOf(log: string, rotation: Rotation | undefined): Output {
  if (log === '-') return 'inherit'
  return rotation === undefined ? openSync(log, 'a') : new AuditFile(log, rotation)
}

async function startWorkerd(run: string, workerd: string, output: Output): Promise<ChildProcess> {
  // A socket that an earlier one has left is in the way of the next.
  rmSync(join(run, 'workerd.sock'), { force: true })
  const child = spawn(workerd, ['serve', join(run, 'workerd.capnp'), '--control-fd=3'], {
    stdio: ['ignore', output instanceof AuditFile ? 'pipe' : output, 'inherit', 'pipe'],
  })
  if (output instanceof AuditFile) child.stdout?.on('data', (bytes: Buffer) => output.write(bytes))
  if (child.pid === undefined) {
    const [error] = await once(child, 'error')
    throw new LauncherError(`workerd (${workerd}) cannot be run: ${error.message}.`)
  }
  writeFileSync(join(run, 'workerd.pid'), `${child.pid}\n`)
  startGuard(child.pid)
  // workerd reports here once its port is open; the pipe closes without a word where it cannot start.
  const control = child.stdio[3] as Readable
  const listening = once(control, 'data').catch(() => undefined)
  await Promise.race([listening, ended(child)])
  return child
}

// Ends workerd when this process is killed: only then does the guard's input end before workerd does.
function startGuard(pid: number): void {
  if (process.platform === 'win32') return
  const script = 'trap "" INT HUP TERM; read -r _; kill -KILL "$1"'
  const guard = spawn('/bin/sh', ['-c', script, 'edgeplane-guard', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  guard.on('error', () => undefined)
  guard.unref()
  guards.push(guard)
}

const guards: ChildProcess[] = []

async function endWorkerd(child: ChildProcess): Promise<void> {
  for (const guard of guards.splice(0)) guard.kill('SIGKILL')
  child.kill('SIGTERM')
  const killer = setTimeout(() => child.kill('SIGKILL'), grace)
  await ended(child)
  clearTimeout(killer)
}

async function ended(child: ChildProcess): Promise<'ended'> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return 'ended'
}

function renewalDue(): { promise: Promise<'due'>; cancel: () => void } {
  let cancel = () => {}
  const promise = new Promise<'due'>((resolve) => {
    const timer = setTimeout(resolve, renewInterval, 'due')
    const now = () => resolve('due')
    if (process.platform !== 'win32') process.on('SIGUSR1', now)
    cancel = () => {
      clearTimeout(timer)
      process.off('SIGUSR1', now)
    }
  })
  return { promise, cancel }
}

async function renewed([command, ...args]: Supervision['renew']): Promise<boolean> {
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  const [code] = await once(child, 'exit')
  return code === 0
}

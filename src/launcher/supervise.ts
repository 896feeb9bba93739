import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { AuditFile, type Rotation } from './audit-file.ts'
import { lookAt } from './crowd.ts'
import { LauncherError } from './launcher-error.ts'
import { Restarts } from './restarts.ts'

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
  /** Has workerd listen behind a gate from its next start on, and gives the gate. */
  readonly protect: () => Promise<Resident>
  /** Has workerd listen where clients come again. */
  readonly relax: () => Promise<void>
}

/** Work that goes on in the launcher as long as workerd runs. */
export interface Resident {
  /** workerd's Unix socket. */
  readonly socket: string
  /** How many connections are open; Infinity where it does not matter, because the work goes on however few there are. */
  readonly connections: number
  /** One that begins before workerd lets clients wait until workerd is ready. */
  readonly begins: 'before workerd' | 'after workerd'
  /** Begins it. Throws LauncherError where it cannot. */
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
 * @param begins whether clients come to workerd itself, or to a gate in front of it
 * @throws LauncherError where workerd cannot run
 */
export async function supervise(supervision: Supervision, begins: 'calm' | 'protected'): Promise<number> {
  const { run, temporary, resident, protect, relax } = supervision
  const sockets = [join(run, 'workerd.sock')]
  try {
    if (begins === 'calm') {
      becomeShell(supervision)
      await superviseHere(supervision, resident)
    } else {
      const gate = await protect()
      sockets.push(gate.socket)
      if ((await superviseHere(supervision, gate)) === 'calm') {
        await relax()
        becomeShell(supervision)
      }
    }
    return 0
  } finally {
    const files = ['ready', 'workerd.capnp', 'workerd.pid', 'identity-header', 'lock'].map((file) => join(run, file))
    for (const file of [...files, ...sockets]) rmSync(file, { force: true })
    rmSync(join(run, 'worker'), { recursive: true, force: true })
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true })
  }
}

/** Returns only where Node has to stay. */
function becomeShell({ run, workerd, temporary, log, rotation, renew, resident }: Supervision): void {
  if (resident !== undefined || rotation !== undefined || process.platform === 'win32') return
  if (typeof process.execve !== 'function') return
  const script = fileURLToPath(new URL('./supervise.sh', import.meta.url).href)
  const command = [...endWithParent(), '/bin/sh', script, run, workerd, temporary ?? '', log, ...renew]
  process.execve(command[0] ?? '', command, process.env)
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

/** Gives 'calm' where a gate is no longer needed, and a shell can go on. */
async function superviseHere(supervision: Supervision, begins: Resident | undefined): Promise<'stop' | 'calm'> {
  const { run, workerd, log, rotation, renew, protect } = supervision
  const stop = untilStopped()
  const output = outputOf(log, rotation)
  let resident = begins
  const startAgain = (): Promise<ChildProcess> => startWorkerd(run, workerd, output, resident?.socket)
  if (resident?.begins === 'before workerd') await resident.start()
  let child = await startAgain()
  const restarts = new Restarts()
  try {
    if (!isRunning(child)) throw endedUnexpectedly(child, '')
    if (resident?.begins === 'after workerd') await resident.start()
    announce(run)
    for (;;) {
      const event = await nextEvent(stop, child, begins === undefined && resident !== undefined ? needed : resident)
      if (event === 'stop' || event === 'calm') return event
      if (event === 'due' && !(await renewed(renew))) continue
      if (event === 'ended') await Promise.race([restarts.next(child), stop])
      const isCrowded = event === 'crowded' || (event === 'ended' && child.exitCode === outOfDescriptors)
      await endWorkerd(child, isCrowded ? 'at once' : 'after its requests')
      if (resident === undefined && isCrowded) {
        resident = await protect()
        tellOfProtection()
        await resident.start()
      } else if (event === 'due' && resident !== supervision.resident) {
        // The renewal has written that clients come to workerd itself.
        await protect()
      }
      child = await startAgain()
      if (event === 'due') await resident?.renewed()
    }
  } finally {
    resident?.stop()
    await endWorkerd(child, 'after its requests')
    if (output instanceof AuditFile) output.close()
  }
}

/** workerd's exit code where it had no descriptor left for a connection, among others. */
const outOfDescriptors = 1
/** In the place of a gate that stays, however few connections there are. */
const needed = { connections: Number.POSITIVE_INFINITY }

async function nextEvent(
  stop: Promise<'stop'>,
  child: ChildProcess,
  gate: { readonly connections: number } | undefined,
): Promise<'stop' | 'ended' | 'due' | 'crowded' | 'calm'> {
  const [due, look] = [renewalDue(), lookAt(child, gate)]
  try {
    return await Promise.race([stop, ended(child), due.promise, look.promise])
  } finally {
    due.cancel()
    look.cancel()
  }
}

function untilStopped(): Promise<'stop'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve('stop'))
    const parent = process.ppid
    if (underNpm) setInterval(() => process.ppid !== parent && resolve('stop'), 500).unref()
  })
}

/** Tells how to use the server, once. */
function announce(run: string): void {
  const ready = join(run, 'ready')
  if (!existsSync(ready)) return
  process.stdout.write(readFileSync(ready))
  rmSync(ready, { force: true })
}

function tellOfProtection(): void {
  process.stderr.write(
    'edgeplane: more connections are open than this server can hold: those that say nothing are ended from now on.\n',
  )
}

const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null

const endedUnexpectedly = (child: ChildProcess, more: string): LauncherError =>
  new LauncherError(`workerd ended unexpectedly (exit status ${child.exitCode ?? child.signalCode})${more}.`)

/** Where workerd's standard output goes. */
type Output = 'inherit' | number | AuditFile

function outputOf(log: string, rotation: Rotation | undefined): Output {
  if (log === '-') return 'inherit'
  return rotation === undefined ? openSync(log, 'a') : new AuditFile(log, rotation)
}

async function startWorkerd(run: string, workerd: string, output: Output, socket: string | undefined): Promise<ChildProcess> {
  // A socket that an earlier one has left is in the way of the next.
  if (socket !== undefined) rmSync(socket, { force: true })
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

async function endWorkerd(child: ChildProcess, how: 'at once' | 'after its requests'): Promise<void> {
  for (const guard of guards.splice(0)) guard.kill('SIGKILL')
  child.kill(how === 'at once' ? 'SIGKILL' : 'SIGTERM')
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

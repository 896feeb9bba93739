/**
 * The program `kube-apiserver` of the assets for envtest: takes its flags, runs workerd and ends TLS in front of it in this same
 * process, because tests wait for each start and authenticate by client certificates. It does not restart a workerd that ends:
 * a kube-apiserver that crashes ends too.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configure, copyWorker } from '../configure.ts'
import { type DataDirectory, dataDirectoryAt } from '../data-directory.ts'
import { LauncherError, reasonOf } from '../launcher-error.ts'
import { lockDataDirectory, unlockDataDirectory } from '../lock.ts'
import { chooseIdentityHeader } from '../proxy/workerd-socket.ts'
import { workerdBinary } from '../workerd-binary.ts'
import { askDataDirectory } from './etcd-data.ts'
import { type FlagValues, flagTypes, lastOf, readFlags } from './flags.ts'
import { kubeApiserverFlags } from './kube-apiserver-flags.ts'
import { certificateDirectory, checkFlags, optionsOf } from './options.ts'

/** Runs the program until it is stopped. Errors are printed as kube-apiserver prints them. */
async function main(args: readonly string[]): Promise<void> {
  try {
    const values = readFlags(args, flagTypes(kubeApiserverFlags), 'kube-apiserver')
    await run(values).catch((error: unknown) => {
      process.stderr.write(`"command failed" err=${JSON.stringify(reasonOf(error).replace(/^--feature-gates: (.*)\.$/, '$1'))}\n`)
      process.exit(1)
    })
  } catch (error) {
    process.stderr.write(`Error: ${reasonOf(error)}\n`)
    process.exit(1)
  }
}

async function run(values: FlagValues): Promise<void> {
  checkFlags(values)
  const data = dataDirectoryAt(await askDataDirectory(lastOf(values, 'etcd-servers') ?? ''))
  const directory = openDirectory(data, certificateDirectory(values))
  process.once('exit', () => rmSync(directory.run, { recursive: true, force: true }))
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => process.exit(0))
  await lockDataDirectory(data)
  process.once('exit', () => unlockDataDirectory(data))
  const options = optionsOf(values, directory.run)
  chooseIdentityHeader(directory)
  copyWorker(workerModules(), directory)
  await configure(directory, options, 'tls')
  const listening = startWorkerd(directory, options.audit?.log ?? '-')
  // The modules of the proxy are loaded while workerd starts.
  const { listen } = await import('./listen.ts')
  await listen(directory, options, listening)
  await listening
}

/** Makes the directories: of the data, which stays, and of this process's files, which only its user can read. */
function openDirectory(data: DataDirectory, tls: string): DataDirectory {
  try {
    const run = mkdtempSync(join(tmpdir(), 'edgeplane-'))
    for (const path of [data.objects, data.run, tls]) mkdirSync(path, { recursive: true, mode: 0o700 })
    return { ...dataDirectoryAt(run), run, tls, objects: data.objects }
  } catch (error) {
    throw new LauncherError(`the directories of the server cannot be made: ${reasonOf(error)}`)
  }
}

/** The modules of the Worker, which are beside this program. */
function workerModules(): string[] {
  const path = (name: string): string => fileURLToPath(new URL(`./${name}`, import.meta.url).href)
  const { modules } = JSON.parse(readFileSync(path('worker.stamp.json'), 'utf8')) as { modules: readonly string[] }
  return modules.map(path)
}

/** The shell that outlives a SIGKILL of this process, of which its input is the only sign: ends workerd and removes the files. */
const guard = 'trap "" INT HUP TERM; read -r _; kill -KILL "$1" 2>/dev/null; rm -rf "$2"'

/**
 * Starts workerd, and resolves when it listens. If it ends, so does this process.
 * @param log the file to which its standard output, the audit log, is appended; `-` for that of this process
 */
async function startWorkerd(directory: DataDirectory, log: string): Promise<void> {
  const output = log === '-' ? 'inherit' : openSync(log, 'a', 0o600)
  const workerd = spawn(workerdBinary(), ['serve', join(directory.run, 'workerd.capnp'), '--control-fd=3'], {
    stdio: ['ignore', output, 'inherit', 'pipe'],
  })
  const shell = spawn('/bin/sh', ['-c', guard, 'guard', String(workerd.pid), directory.run], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  shell.unref()
  process.once('exit', () => workerd.kill('SIGKILL'))
  workerd.once('exit', (code, signal) => {
    process.stderr.write(`"command failed" err="workerd ended unexpectedly (${code ?? signal})"\n`)
    process.exit(1)
  })
  const [, , , control] = workerd.stdio
  if (control !== null && control !== undefined) await once(control, 'data')
}

await main(process.argv.slice(2))

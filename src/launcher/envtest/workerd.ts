/** workerd behind the TLS proxy of the programs for envtest: no supervisor starts it again. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type ServerSettings, workerdConfigFile, writeWorkerdConfig } from '../configure.ts'
import { type DataDirectory, dataDirectoryAt } from '../data-directory.ts'
import { LauncherError, reasonOf } from '../launcher-error.ts'
import { chooseIdentityHeader, headerLinesSocket, identityHeader, workerdSocket } from '../proxy/workerd-socket.ts'
import { workerdBinary } from '../workerd-binary.ts'
import { readModules } from '../workerd-config.ts'

/** The files of one server: of the data, which stays, and of this run, which only its user can read. */
export interface ServerFiles {
  readonly data: DataDirectory
  readonly run: DataDirectory
}

/** Makes the directories. @throws LauncherError if they cannot be made */
export function openFiles(data: DataDirectory): ServerFiles {
  try {
    const run = mkdtempSync(join(tmpdir(), 'edgeplane-'))
    for (const path of [data.objects, data.run]) mkdirSync(path, { recursive: true, mode: 0o700 })
    return { data, run: { ...dataDirectoryAt(run), run, objects: data.objects } }
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

/** workerd is started with its settings, or with nothing but the token with which they come later. */
type Given = ServerSettings | { readonly token: string }

/** A workerd that runs until it is ended, or until this process ends. */
export class Workerd {
  readonly files: ServerFiles
  /** Takes what workerd prints to its standard error. */
  print: (text: string) => void = (text) => void process.stderr.write(text)
  /** Resolves with the exit code or the signal. */
  readonly ended: Promise<string>
  readonly #child: ChildProcess
  readonly #guard: ChildProcess
  readonly #listening: Promise<void>
  readonly #token: string | undefined
  readonly #endAtExit = (): void => this.#clear()

  private constructor(files: ServerFiles, given: Given, output: number | 'inherit') {
    this.files = files
    this.#token = 'token' in given ? given.token : undefined
    this.#child = spawn(workerdBinary(), ['serve', '--binary', workerdConfigFile(files.run), '--control-fd=3'], {
      stdio: ['ignore', output, 'pipe', 'pipe'],
    })
    const [, , errors, control] = this.#child.stdio
    ;(errors as Readable).setEncoding('utf8').on('data', (text: string) => this.print(text))
    this.#listening = once(control as Readable, 'data').then(() => undefined)
    this.ended = once(this.#child, 'exit').then(([code, signal]) => String(code ?? signal))
    this.#guard = spawn('/bin/sh', ['-c', guard, 'guard', String(this.#child.pid), files.run.run], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    })
    this.#guard.unref()
    process.once('exit', this.#endAtExit)
  }

  /**
   * Starts one.
   * @param log the file to which its standard output, the audit log, is appended; `-` for that of this process
   */
  static start(files: ServerFiles, given: Given, log = '-'): Workerd {
    const { run } = files
    chooseIdentityHeader(run)
    const { settings, authorities } = 'token' in given ? { settings: { LATE_SETTINGS: given.token }, authorities: [] } : given
    const listen = { at: 'http socket', path: workerdSocket(run), header: identityHeader(run) } as const
    const headerLines = headerLinesSocket(run)
    const modules = readModules(workerModules())
    writeWorkerdConfig(run, { listen, settings, authorities, process: undefined, modules, headerLines })
    return new Workerd(files, given, log === '-' ? 'inherit' : openSync(log, 'a', 0o600))
  }

  /** Starts one that is going to be given its settings: it compiles the Worker meanwhile. The directory must be empty. */
  static prepare(files: ServerFiles): Workerd {
    return Workerd.start(files, { token: randomBytes(32).toString('hex') })
  }

  /**
   * Resolves when it can answer requests.
   * @param settings those that it has been started without, if it has
   * @throws LauncherError if the Worker refuses them
   */
  async ready(settings: ServerSettings['settings']): Promise<void> {
    await this.#listening
    if (this.#token === undefined) return
    const refusal = await sendSettings(workerdSocket(this.files.run), this.#token, JSON.stringify(settings))
    if (refusal !== undefined) throw new LauncherError(refusal)
  }

  /** Ends it at once, and removes its files: everything that was acknowledged is written. */
  async end(): Promise<void> {
    process.off('exit', this.#endAtExit)
    this.#clear()
    await this.ended
  }

  #clear(): void {
    this.#child.kill('SIGKILL')
    this.#guard.kill('SIGKILL')
    rmSync(this.files.run.run, { recursive: true, force: true })
  }
}

/** Sends the settings to a Worker that waits for them; gives its reason if it refuses them. */
function sendSettings(socketPath: string, token: string, body: string): Promise<string | undefined> {
  return new Promise((done, failed) => {
    const headers = { authorization: `Bearer ${token}` }
    const sent = http.request({ socketPath, method: 'POST', headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('end', () => done(response.statusCode === 204 ? undefined : text))
    })
    sent.on('error', failed)
    sent.end(body)
  })
}

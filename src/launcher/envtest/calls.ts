/**
 * Runs kube-apiserver for the script of that name, in the process of `etcd`: it has been started and has loaded everything when the
 * script is, and one process of Node is enough for both.
 *
 * A call is three files of a directory that only this user can open: `ID.call` with the working directory, EDGEPLANE_CONTROLLERS, the
 * flags and a full stop, each ended by NUL; the named pipe `ID.life`, which the script holds open while the server is to run; and
 * `ID.out`, from which it reads lines: `err TEXT` for its standard error, and `exit CODE`.
 */
import {
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  type WatchListener,
  watch,
  writeFileSync,
} from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { type DataDirectory, dataDirectoryAt } from '../data-directory.ts'
import { reasonOf } from '../launcher-error.ts'
import { ApiServer, failureText } from './api-server.ts'
import { type FlagValues, flagTypes, readFlags } from './flags.ts'
import { kubeApiserverFlags } from './kube-apiserver-flags.ts'
import { checkFlags } from './options.ts'
import { openFiles, Workerd } from './workerd.ts'

/** Takes calls for the data of this etcd. */
export class Calls {
  readonly #directory: string
  readonly #data: DataDirectory
  readonly #seen = new Set<string>()
  #prepared: Workerd | undefined
  /** The end of the last call: another one with the same data has to wait for it. */
  #last: Promise<void> = Promise.resolve()

  private constructor(directory: string, data: DataDirectory, prepared: Workerd | undefined) {
    this.#directory = directory
    this.#data = data
    this.#prepared = prepared
  }

  /**
   * Starts workerd for the first call; undefined if there are data already, because alarms of objects would not wait for the settings.
   * @param path the directory of the data
   */
  static prepare(path: string): Workerd | undefined {
    const data = dataDirectoryAt(path)
    return existsSync(data.objects) ? undefined : Workerd.prepare(openFiles(data))
  }

  /**
   * Takes calls until this process ends.
   * @param directory the directory of the calls, which is made
   * @param path the directory of the data
   * @param prepared the workerd for the first call
   */
  static take(directory: string, path: string, prepared: Workerd | undefined): void {
    const calls = new Calls(directory, dataDirectoryAt(path), prepared)
    rmSync(directory, { recursive: true, force: true })
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
    const changed: WatchListener<string> = (_event, name) => {
      if (name?.endsWith('.call')) calls.#read(name)
    }
    watch(directory, { persistent: false }, changed)
    writeFileSync(join(directory, 'pid'), `${process.pid}\n`)
  }

  #read(name: string): void {
    const file = join(this.#directory, name)
    if (this.#seen.has(name) || !existsSync(file)) return
    const fields = readFileSync(file, 'utf8').split('\0')
    if (fields.at(-2) !== '.') return
    this.#seen.add(name)
    const [directory = '', controllers = '', ...args] = fields.slice(0, -2)
    const script = new Script(file.slice(0, -'.call'.length))
    void script.ended.then(() => this.#seen.delete(name))
    this.#last = this.#last.then(() => this.#run(script, directory, controllers, args))
  }

  async #run(script: Script, directory: string, controllers: string, args: readonly string[]): Promise<void> {
    const values = flagsOf(args, directory)
    if (typeof values === 'string') return script.exit(1, values)
    const prepared = this.#prepared
    this.#prepared = undefined
    const started = await ApiServer.start(values, { data: this.#data, controllers, prepared }).catch(reasonOf)
    if (typeof started === 'string') return script.exit(1, failureText(started))
    started.print = (text) => script.print(text)
    const failure = await Promise.race([started.failed, script.ended])
    await started.stop()
    if (failure === undefined) script.exit(0)
    else script.exit(1, failureText(failure))
  }
}

/** Reads flags whose relative paths begin at a directory; gives a text for the standard error if they are wrong. */
function flagsOf(args: readonly string[], directory: string): FlagValues | string {
  let values: FlagValues
  try {
    process.chdir(directory)
    values = readFlags(args, flagTypes(kubeApiserverFlags), 'kube-apiserver')
  } catch (error) {
    return `Error: ${reasonOf(error)}`
  }
  try {
    checkFlags(values)
    return values
  } catch (error) {
    return failureText(reasonOf(error))
  }
}

/** A script that has called, and waits. */
class Script {
  /** Resolves when it is stopped, or has been killed. */
  readonly ended: Promise<undefined>
  readonly #output: Socket
  readonly #path: string

  /** @param path that of its files, without their endings */
  constructor(path: string) {
    this.#path = path
    // Both ends are opened, so that this does not wait for the script.
    this.#output = pipe(`${path}.out`, constants.O_RDWR)
    const life = pipe(`${path}.life`, constants.O_RDONLY)
    this.ended = new Promise((done) => life.resume().once('close', () => done(undefined)))
  }

  print(text: string): void {
    for (const line of text.split('\n').filter((one) => one !== '')) this.#output.write(`err ${line}\n`)
  }

  /** Ends the script. */
  exit(code: number, text = ''): void {
    this.print(text)
    this.#output.end(`exit ${code}\n`)
    for (const ending of ['call', 'life', 'out']) rmSync(`${this.#path}.${ending}`, { force: true })
  }
}

/** Opens a named pipe. */
function pipe(path: string, access: number): Socket {
  const isRead = access === constants.O_RDONLY
  return new Socket({ fd: openSync(path, access | constants.O_NONBLOCK), readable: isRead, writable: !isRead }).on(
    'error',
    () => undefined,
  )
}

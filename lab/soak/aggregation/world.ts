/** The server under test in a story of aggregation, and the programs beside it. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'

/** The programs of a story. */
export interface Programs {
  readonly kubectl: string
  /** sample-apiserver and metrics-server. */
  readonly servers: string
  readonly kubelet: string
}

/** The server under test. */
export interface Subject {
  readonly kubeconfig: string
  /** The port of sample-apiserver, and so on. */
  readonly ports: Readonly<Record<'sample' | 'metrics' | 'kubelet' | 'web' | 'forwarded', number>>
  /** An address of this machine that is not a loopback address. */
  readonly address: string
}

/** How kubectl is run. */
export interface KubectlOptions {
  readonly input?: string
}

/** A server under test with the programs beside it. */
export class World {
  readonly subject: Subject
  readonly folder: string
  readonly #programs: Programs
  readonly #children = new Map<string, ChildProcess>()

  constructor(programs: Programs, subject: Subject, folder: string) {
    this.#programs = programs
    this.subject = subject
    this.folder = folder
  }

  /** Runs kubectl. @returns its output without what differs between runs, and its exit code */
  async kubectl(args: readonly string[], options: KubectlOptions = {}): Promise<string> {
    const { output, code } = await this.run(args, options)
    return this.#stable(`$ kubectl ${args.join(' ')}\n${output}[${code}]\n`)
  }

  /** Runs kubectl. @returns what it prints, and its exit code */
  run(args: readonly string[], { input = '' }: KubectlOptions = {}): Promise<{ output: string; code: unknown }> {
    const env = { ...process.env, KUBECONFIG: this.subject.kubeconfig, KUBECACHEDIR: join(this.folder, 'cache') }
    return new Promise((done) => {
      const settings = { env, timeout: 60_000, maxBuffer: 64 * 1024 * 1024 }
      const child = execFile(this.#programs.kubectl, [...args], settings, (error, stdout, stderr) =>
        done({ output: stdout + stderr, code: error === null ? 0 : (error.code ?? 'ended') }),
      )
      // A program may end without reading it.
      child.stdin?.on('error', () => undefined)
      child.stdin?.end(input)
    })
  }

  /** Runs kubectl until its output is as wanted. @throws Error after a minute */
  async until(args: readonly string[], isWanted: (output: string) => boolean): Promise<string> {
    const end = Date.now() + 30_000
    for (;;) {
      const output = await this.kubectl(args)
      if (isWanted(output)) return output
      if (Date.now() > end) throw new Error(`never came: ${output}`)
      await new Promise((again) => setTimeout(again, 250))
    }
  }

  /** Starts a program that goes on, and writes its output to a file. */
  start(name: string, program: 'kubectl' | 'servers' | 'kubelet', args: readonly string[]): ChildProcess {
    const env = { ...process.env, KUBECONFIG: this.subject.kubeconfig }
    const child = spawn(this.#programs[program], [...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const log = createWriteStream(join(this.folder, `${name}.log`), { flags: 'a' })
    child.stdout?.pipe(log, { end: false })
    child.stderr?.pipe(log, { end: false })
    this.#children.set(name, child)
    return child
  }

  /** Kills a program. */
  async kill(name: string): Promise<void> {
    const child = this.#children.get(name)
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  async killAll(): Promise<void> {
    await Promise.all([...this.#children.keys()].map((name) => this.kill(name)))
  }

  /** Returns a text without ports, addresses, times and ages. */
  #stable(text: string): string {
    const { ports, address } = this.subject
    let stable = text.replaceAll(address, 'ADDRESS').replaceAll(this.folder, 'FOLDER')
    for (const [name, port] of Object.entries(ports)) stable = stable.replaceAll(String(port), `PORT-${name}`)
    stable = stable.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    return stable.replace(/\b\d+(?:ms|s|m\d*s?)$/gm, 'AGE').replace(/ +$/gm, '')
  }
}

/** Rotates the audit log: when its file is large, it is renamed by the time, and a new one begins. */
import { closeSync, fstatSync, openSync, readdirSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'

/** The size at which a new file begins, and how many earlier ones are kept. Follows kube-apiserver's --audit-log-max… */
export interface Rotation {
  readonly bytes: number
  /** How many earlier files are kept, and for how many days; 0 for all. */
  readonly backups: number
  readonly days: number
}

const day = 24 * 60 * 60 * 1000
const newLine = 10

/** The audit log of a running server. */
export class AuditFile {
  readonly #path: string
  readonly #rotation: Rotation
  readonly #now: () => number
  #file: number
  #size: number
  /** The time that the last earlier file is named by. */
  #last = 0
  /** The beginning of a line that is not complete yet. */
  #rest: Buffer = Buffer.alloc(0)

  /** Opens it: readable by its owner only if it is new. */
  constructor(path: string, rotation: Rotation, now: () => number = Date.now) {
    this.#path = path
    this.#rotation = rotation
    this.#now = now
    this.#file = openSync(path, 'a', 0o600)
    this.#size = fstatSync(this.#file).size
  }

  /** Appends bytes; a line is never cut in two. */
  write(bytes: Buffer): void {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    let [from, to] = [0, 0]
    for (let end = all.indexOf(newLine); end >= 0; end = all.indexOf(newLine, to)) {
      const isFull = this.#size + (end + 1 - from) > this.#rotation.bytes
      if (isFull && this.#size + (to - from) > 0) {
        this.#append(all.subarray(from, to))
        this.#rotate()
        from = to
      }
      to = end + 1
    }
    this.#append(all.subarray(from, to))
    this.#rest = Buffer.from(all.subarray(to))
  }

  /** Writes the rest and closes the file. */
  close(): void {
    this.#append(this.#rest)
    closeSync(this.#file)
  }

  #append(bytes: Buffer): void {
    if (bytes.length === 0) return
    writeSync(this.#file, bytes)
    this.#size += bytes.length
  }

  #rotate(): void {
    closeSync(this.#file)
    renameSync(this.#path, this.#backupPath())
    this.#file = openSync(this.#path, 'a', 0o600)
    this.#size = 0
    this.#removeOld()
  }

  /** `audit-2026-11-21T19-57-00.000.log`: later than that of any file before it. */
  #backupPath(): string {
    this.#last = Math.max(this.#now(), this.#last + 1)
    const pathOf = (time: number): string => join(dirname(this.#path), `${this.#prefix}${stamp(time)}${extname(this.#path)}`)
    while (statSync(pathOf(this.#last), { throwIfNoEntry: false }) !== undefined) this.#last++
    return pathOf(this.#last)
  }

  get #prefix(): string {
    return `${basename(this.#path, extname(this.#path))}-`
  }

  #removeOld(): void {
    const { backups, days } = this.#rotation
    const [prefix, extension] = [this.#prefix, extname(this.#path)]
    const found = readdirSync(dirname(this.#path))
      .filter((name) => name.startsWith(prefix) && name.endsWith(extension))
      .filter((name) => timeForm.test(name.slice(prefix.length, name.length - extension.length)))
      .sort()
      .reverse()
    const oldest = `${prefix}${stamp(this.#now() - days * day)}`
    const old = found.filter((name, index) => (backups > 0 && index >= backups) || (days > 0 && name < oldest))
    for (const name of old) rmSync(join(dirname(this.#path), name), { force: true })
  }
}

/** Writes the standard input to a rotated file, until the input ends. @throws Error if it cannot be written */
export async function writeAuditLog(path: string, rotation: Rotation): Promise<void> {
  // The input ends when workerd has written all; signals for the whole server come before that.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  const file = new AuditFile(path, rotation)
  for await (const bytes of process.stdin as AsyncIterable<Buffer>) file.write(bytes)
  file.close()
}

const timeForm = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}$/

const stamp = (time: number): string => new Date(time).toISOString().slice(0, -1).replaceAll(':', '-')

/**
 * The record of a start in its data directory: the command that ran the server, and everything from which the command followed. The
 * next start runs the same command at once if nothing of that has changed (see docs/decisions/starts.md).
 */
import { closeSync, fstatSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { type DataDirectory, writePrivateFile } from './data-directory.ts'

/** A start that can be repeated. */
export interface StartRecord {
  readonly circumstances: string
  /** The marks of the files that were read and written, by path. */
  readonly files: Readonly<Record<string, string>>
  /** The time in which the certificates are used as they are, in milliseconds since 1970. */
  readonly from: number
  readonly until: number
  readonly port: number
  /** The supervisor's command. */
  readonly command: readonly string[]
  /** The text that the supervisor prints when the server is ready. */
  readonly ready: string
}

const recordFile = (directory: DataDirectory): string => join(directory.run, 'start.json')

/** The file with the text that the supervisor prints when the server is ready. */
export const readyFile = (directory: DataDirectory): string => join(directory.run, 'ready')

/** Environment variables from which a start follows. */
const variables = ['EDGEPLANE_WORKER', 'EDGEPLANE_WORKERD', 'EDGEPLANE_END_WITH_PARENT', 'npm_lifecycle_event', 'TMPDIR']

/** Returns a text that is another one if the arguments, the environment or the addresses of this machine are. */
export function circumstances(): string {
  const environment = variables.map((name) => process.env[name] ?? null)
  return JSON.stringify([process.execPath, process.argv.slice(1), process.cwd(), environment, networkInterfaces()])
}

/** Returns a mark of a file that changes when the file is written or replaced; '' if it does not exist. */
function markOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? '' : `${stat.size} ${stat.mtimeMs} ${stat.ino}`
}

/** Writes the record of a start. @throws LauncherError if it cannot be written */
export function writeStartRecord(
  directory: DataDirectory,
  { files, ...rest }: Omit<StartRecord, 'circumstances' | 'files'> & { readonly files: readonly string[] },
): void {
  const marks = Object.fromEntries(files.map((path) => [path, markOf(path)]))
  const record: StartRecord = { ...rest, circumstances: circumstances(), files: marks }
  writePrivateFile(recordFile(directory), JSON.stringify(record))
}

/** Removes the record. */
export const removeStartRecord = (directory: DataDirectory): void => rmSync(recordFile(directory), { force: true })

/** Returns the record of the last start if a start now would run the same command, else undefined. */
export function validStartRecord(directory: DataDirectory): StartRecord | undefined {
  const record = readStartRecord(recordFile(directory))
  const now = Date.now()
  if (record === undefined || now < record.from || now >= record.until || record.circumstances !== circumstances())
    return undefined
  return Object.entries(record.files).every(([path, mark]) => mark !== '' && markOf(path) === mark) ? record : undefined
}

/** Reads a record that nobody but this user can have written: it names a program to run. */
function readStartRecord(path: string): StartRecord | undefined {
  try {
    const file = openSync(path, 'r')
    try {
      const { uid, mode } = fstatSync(file)
      return uid === process.getuid?.() && (mode & 0o77) === 0
        ? (JSON.parse(readFileSync(file, 'utf8')) as StartRecord)
        : undefined
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}

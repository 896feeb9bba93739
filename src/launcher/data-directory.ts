import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { errorCode, LauncherError, reasonOf } from './launcher-error.ts'
import { memoryFileSystem } from './memory-file-system.ts'

/** The paths inside a data directory. */
export interface DataDirectory {
  readonly path: string
  /** Durable Object storage. */
  readonly objects: string
  readonly tls: string
  /** Files of the running server: the lock, workerd's configuration. */
  readonly run: string
  readonly adminToken: string
  readonly kubeconfig: string
}

/** Gives the paths of the data directory at `path`; touches nothing. */
export function dataDirectoryAt(path: string): DataDirectory {
  return {
    path,
    objects: join(path, 'objects'),
    tls: join(path, 'tls'),
    run: join(path, 'run'),
    adminToken: join(path, 'admin-token'),
    kubeconfig: join(path, 'kubeconfig'),
  }
}

/**
 * Makes the data directory, or a temporary one if `path` is undefined, readable by its owner only. The rights of a directory that
 * exists already stay as they are; everything that is made inside is private in itself.
 * @throws LauncherError if it cannot be made or written
 */
export function openDataDirectory(path: string | undefined): DataDirectory {
  try {
    const directory = dataDirectoryAt(path ?? mkdtempSync(join(temporaryParent(), 'edgeplane-')))
    for (const each of [directory.path, directory.objects, directory.tls, directory.run]) {
      mkdirSync(each, { recursive: true, mode: 0o700 })
    }
    writeFileSync(join(directory.run, 'writable'), '', { mode: 0o600 })
    return directory
  } catch (error) {
    throw new LauncherError(`The data directory ${path ?? temporaryParent()} cannot be written: ${reasonOf(error)}.`)
  }
}

/** TMPDIR if it is set; otherwise memory, if there is enough. */
const temporaryParent = (): string => (process.env.TMPDIR ? undefined : memoryFileSystem()) ?? tmpdir()

/** Reads a file; gives undefined if it does not exist. @throws LauncherError if it cannot be read */
export function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw new LauncherError(`The file ${path} cannot be read: ${reasonOf(error)}.`)
  }
}

/**
 * Writes a file that only its owner may read, in one step: a reader, or the next start after a crash, sees the old or the new
 * text and never a part. @throws LauncherError if it cannot be written
 */
export function writePrivateFile(path: string, text: string | readonly Uint8Array[]): void {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const file = openSync(temporary, 'w', 0o600)
    try {
      for (const part of typeof text === 'string' ? [text] : text) writeFileSync(file, part)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch (error) {
    throw new LauncherError(`The file ${path} cannot be written: ${reasonOf(error)}.`)
  }
}

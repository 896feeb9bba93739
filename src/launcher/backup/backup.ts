/** `edgeplane backup`: writes the contents of a cluster to a file. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import type { Api } from '../api.ts'
import { LauncherError, reasonOf } from '../launcher-error.ts'
import { BackupChecker, type BackupSummary, linesOf } from './archive.ts'

/** Yields the chunks of a stream after they were written. */
async function* written(chunks: AsyncIterable<Uint8Array>, write: (chunk: Uint8Array) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    write(chunk)
    yield chunk
  }
}

/** Reads a backup from the server, checks it and hands its bytes on. @throws LauncherError if it was not completed */
async function receive(api: Api, write: (chunk: Uint8Array) => void): Promise<BackupSummary> {
  const checker = new BackupChecker()
  const response = await api.open('/edgeplane/v1/backup')
  try {
    for await (const line of linesOf(written(response as AsyncIterable<Uint8Array>, write))) checker.next(line)
    return checker.summary()
  } catch (error) {
    if (error instanceof LauncherError) throw error
    throw new LauncherError(`The backup was not completed: ${reasonOf(error).replace(/\.$/, '')}. Try again.`)
  }
}

/**
 * Writes a backup to a file that its owner alone can read; `-` is the standard output. A file appears only when it is complete.
 * @throws LauncherError if the server or the file cannot be used
 */
export async function writeBackup(api: Api, file: string): Promise<BackupSummary> {
  if (file === '-') return receive(api, (chunk) => writeAll(1, chunk))
  const temporary = `${file}.${process.pid}.tmp`
  let descriptor: number
  try {
    descriptor = openSync(temporary, 'wx', 0o600)
  } catch (error) {
    throw new LauncherError(`The file ${file} cannot be written: ${reasonOf(error)}.`)
  }
  try {
    const summary = await receive(api, (chunk) => writeAll(descriptor, chunk))
    fsyncSync(descriptor)
    renameSync(temporary, file)
    return summary
  } finally {
    closeSync(descriptor)
    rmSync(temporary, { force: true })
  }
}

function writeAll(descriptor: number, chunk: Uint8Array): void {
  for (let done = 0; done < chunk.length; ) {
    try {
      done += writeSync(descriptor, chunk, done)
    } catch (error) {
      // A pipe whose reader is slow.
      if ((error as { code?: string }).code !== 'EAGAIN') throw error
    }
  }
}

/**
 * Repeats the last start in a data directory. This is the entry of a bundle of its own: loading the whole launcher takes longer than
 * all that is done here.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { defaultDataDirectory } from '../config/data-directory.ts'
import { dataDirectoryAt, writePrivateFile } from './data-directory.ts'
import { lockDataDirectory, unlockDataDirectory } from './lock.ts'
import { readyFile, validStartRecord } from './start-record.ts'
import { supervise } from './supervise.ts'

/**
 * Runs the server as the last start of the data directory did, if this process has been started in the same way and nothing from which
 * that start followed has changed; gives the exit code. Gives undefined, with nothing done, if the launcher has to determine
 * everything itself, also to report what is wrong.
 */
export async function startAgain(): Promise<number | undefined> {
  const directory = dataDirectoryAt(resolve(dataDirectoryOf(process.argv.slice(3))))
  if (validStartRecord(directory) === undefined) return undefined
  try {
    await lockDataDirectory(directory)
  } catch {
    return undefined
  }
  // Until now another start may have written what this one has read.
  const record = validStartRecord(directory)
  if (record === undefined || !isFree(record.port)) {
    unlockDataDirectory(directory)
    return undefined
  }
  writePrivateFile(readyFile(directory), record.ready)
  return await supervise(record.command)
}

/** Finds the data directory among the arguments. The record tells whether they are those of the last start. */
function dataDirectoryOf(args: readonly string[]): string {
  const option = '--data-dir'
  const [first = -1] = args.flatMap((arg, index) => (arg === option || arg.startsWith(`${option}=`) ? [index] : []))
  if (first < 0) return defaultDataDirectory
  return args[first] === option ? (args[first + 1] ?? '') : (args[first]?.slice(option.length + 1) ?? '')
}

/** The kernel's tables of TCP sockets; a socket that listens has the state 0A. */
const socketTables = ['/proc/net/tcp', '/proc/net/tcp6']

/** Tells whether nobody listens on a port, on whatever address: listening on it, as the launcher does, needs a module that loads slowly. */
function isFree(port: number): boolean {
  const listening = new RegExp(`^ *\\d+: [0-9A-F]+:${port.toString(16).toUpperCase().padStart(4, '0')} [0-9A-F:]+ 0A `, 'm')
  try {
    return socketTables.every((table) => !listening.test(readFileSync(table, 'latin1')))
  } catch {
    return false
  }
}

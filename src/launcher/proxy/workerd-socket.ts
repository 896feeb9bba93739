/** The Unix sockets between workerd and the proxy, and the name of the header that the TLS proxy sends. */
import { createHash, randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DataDirectory, readIfPresent, writePrivateFile } from '../data-directory.ts'
import { LauncherError } from '../launcher-error.ts'

/** The longest path of a Unix socket on the systems that allow the least, in bytes. */
const longestPath = 103

const isTooLong = (path: string): boolean => Buffer.byteLength(path) > longestPath
const pathIn = (directory: DataDirectory): string => join(directory.run, 'workerd.sock')

/** Gives the socket's path: in the data directory, or in that for temporary files if the data directory's path is too long. */
export function workerdSocket(directory: DataDirectory): string {
  const path = pathIn(directory)
  if (!isTooLong(path)) return path
  return join(tmpdir(), `edgeplane-${createHash('sha256').update(path).digest('hex').slice(0, 16)}.sock`)
}

/**
 * Checks that only this user can open the socket: what it says of a client's certificate is believed.
 * @throws LauncherError if the data directory's path is too long
 */
export function checkPrivateSocket(directory: DataDirectory): void {
  const path = pathIn(directory)
  if (!isTooLong(path)) return
  throw new LauncherError(
    `The path ${path} is too long for the name of a socket, which --client-ca-file, --spdy and hosts other than loopback need: choose another --data-dir.`,
  )
}

/**
 * Gives the path of the socket at which the proxy tells workerd the lines of headers. Its answers are believed, so nobody else may be
 * able to listen there: undefined if the data directory's path is too long.
 */
export function headerLinesSocket(directory: DataDirectory): string | undefined {
  const path = join(directory.run, 'header-lines.sock')
  return isTooLong(path) ? undefined : path
}

const headerFile = (directory: DataDirectory): string => join(directory.run, 'identity-header')

/** Chooses the name of the header for a server that starts: one that cannot be guessed. */
export function chooseIdentityHeader(directory: DataDirectory): void {
  writePrivateFile(headerFile(directory), `edgeplane-${randomBytes(24).toString('hex')}`)
}

/** Gives the name of the header, in lower case. @throws LauncherError if none has been chosen */
export function identityHeader(directory: DataDirectory): string {
  const header = readIfPresent(headerFile(directory))
  if (header === undefined) throw new LauncherError(`The file ${headerFile(directory)} is missing: start the server again.`)
  return header
}

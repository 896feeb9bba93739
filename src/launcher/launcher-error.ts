/**
 * An error that the person at the terminal can mend. Its message is one whole sentence; the command line prints it without a
 * stack trace and exits with code 1.
 */
export class LauncherError extends Error {
  override name = 'LauncherError'
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the device',
  ENOTDIR: 'a part of the path is not a directory',
  EEXIST: 'a file is in the way',
  EISDIR: 'it is a directory',
  ENOENT: 'there is no such file or directory',
  EADDRINUSE: 'the port is taken by another process',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'the host name is unknown',
}

/** Gives a system error's code, such as `ENOENT`; undefined if the value is not a system error. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Tells why an operation failed, in words that fit behind a colon; system errors get plain English. */
export function reasonOf(error: unknown): string {
  const code = errorCode(error)
  const known = code === undefined ? undefined : reasons[code]
  if (known !== undefined) return known
  return error instanceof Error ? error.message : String(error)
}

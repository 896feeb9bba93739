import { randomBytes } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { type DataDirectory, readIfPresent, writePrivateFile } from './data-directory.ts'
import { LauncherError } from './launcher-error.ts'

/**
 * Gives the administrator's bearer token, which the first call makes: 32 random bytes in base64url.
 * @throws LauncherError if the file cannot be read or does not hold a usable token
 */
export function adminToken(directory: DataDirectory): string {
  const existing = readIfPresent(directory.adminToken)?.trim()
  if (existing === undefined) {
    const token = randomBytes(32).toString('base64url')
    writePrivateFile(directory.adminToken, token)
    return token
  }
  if (!/^[A-Za-z0-9._~+/=-]{16,4096}$/.test(existing)) {
    throw new LauncherError(
      `The file ${directory.adminToken} does not hold a token: delete it, and the next start makes a new one.`,
    )
  }
  chmodSync(directory.adminToken, 0o600)
  return existing
}

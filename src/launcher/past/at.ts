/** `edgeplane at`: runs a program with a kubeconfig that leads to the past. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connection } from '../connection.ts'
import { LauncherError, reasonOf } from '../launcher-error.ts'

const base64 = (text: unknown): string => Buffer.from(String(text)).toString('base64')

/** Returns a kubeconfig as JSON, which is also YAML. */
function kubeconfigOf({ url, authorization = '', tls }: Connection): string {
  const { ca, cert, key, servername, rejectUnauthorized } = tls
  const [scheme, credentials = ''] = authorization.split(' ')
  const [username = '', ...password] = Buffer.from(credentials, 'base64').toString().split(':')
  const name = 'edgeplane'
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: {
          server: url,
          ...(ca !== undefined && { 'certificate-authority-data': base64(ca) }),
          ...(servername !== undefined && { 'tls-server-name': servername }),
          ...(rejectUnauthorized === false && { 'insecure-skip-tls-verify': true }),
        },
      },
    ],
    users: [
      {
        name,
        user: {
          ...(scheme === 'Bearer' && { token: credentials }),
          ...(scheme === 'Basic' && { username, password: password.join(':') }),
          ...(cert !== undefined && { 'client-certificate-data': base64(cert) }),
          ...(key !== undefined && { 'client-key-data': base64(key) }),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  })
}

/** Runs a program whose kubeconfig is the connection. Resolves to its exit code. @throws LauncherError if it cannot be run */
export async function runAt(connection: Connection, [program = '', ...args]: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'edgeplane-at-'))
  const file = join(folder, 'kubeconfig')
  try {
    writeFileSync(file, kubeconfigOf(connection), { mode: 0o600 })
    const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, KUBECONFIG: file } })
    const [code] = (await once(child, 'exit')) as [number | null]
    return code ?? 1
  } catch (error) {
    throw new LauncherError(`${program} cannot be run: ${reasonOf(error).replace(/\.$/, '')}.`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The connection that a context of a kubeconfig describes. */

import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { SecureContextOptions } from 'node:tls'
import { trimRight } from '../go/text.ts'
import { LauncherError, reasonOf } from './launcher-error.ts'
import { completeKubeconfig, type Fields, isFields, readObject } from './secret-files.ts'

/** The address of a server and the credentials of a user. */
export interface Connection {
  /** Without a slash at the end. */
  readonly url: string
  /** The value of `Authorization`; undefined if a certificate identifies the user, or nothing does. */
  readonly authorization: string | undefined
  readonly tls: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'> & {
    readonly servername?: string
    readonly rejectUnauthorized?: false
  }
}

/** The choice of a context, and of another address than that of the context. */
export interface ConnectionChoice {
  readonly context?: string | undefined
  readonly server?: string | undefined
}

const text = (fields: Fields, name: string): string | undefined => {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function named(config: Fields, list: string, name: string, field: string): Fields {
  const entries = Array.isArray(config[list]) ? config[list].filter(isFields) : []
  const found = entries.find((entry) => entry.name === name)?.[field]
  if (isFields(found)) return found
  throw new Error(`it has no ${field} "${name}"`)
}

/** Returns the text of a file that a field names, or that another field contains in base64. */
function pem(fields: Fields, name: string, directory: string): string | undefined {
  const data = text(fields, `${name}-data`)
  if (data !== undefined) return Buffer.from(data, 'base64').toString()
  const file = text(fields, name)
  return file === undefined ? undefined : readFileSync(resolve(directory, file), 'utf8')
}

function authorizationOf(user: Fields): string | undefined {
  const [token, username, password] = [text(user, 'token'), text(user, 'username'), text(user, 'password')]
  if (token !== undefined) return `Bearer ${token}`
  if (username === undefined) return undefined
  return `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}`
}

/** Returns the connection that a kubeconfig describes. @throws Error if it is incomplete */
export function connectionIn(config: Fields, directory: string, choice: ConnectionChoice): Connection {
  const name = choice.context ?? text(config, 'current-context')
  if (name === undefined) throw new Error('it has no current-context')
  const context = named(config, 'contexts', name, 'context')
  const cluster = named(config, 'clusters', text(context, 'cluster') ?? '', 'cluster')
  const userName = text(context, 'user')
  const user = userName === undefined ? {} : named(config, 'users', userName, 'user')
  if (user.exec !== undefined || user['auth-provider'] !== undefined) {
    throw new Error('its user needs another program: `kubectl proxy` gives an address that needs no user')
  }
  const url = choice.server ?? text(cluster, 'server')
  if (url === undefined || !/^https?:\/\/[^/]/.test(url)) throw new Error(`its server "${url ?? ''}" is no URL`)
  const ca = pem(cluster, 'certificate-authority', directory)
  const [cert, key] = [pem(user, 'client-certificate', directory), pem(user, 'client-key', directory)]
  const servername = text(cluster, 'tls-server-name')
  return {
    url: trimRight(url, '/'),
    authorization: authorizationOf(user),
    tls: {
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && key !== undefined && { cert, key }),
      ...(servername !== undefined && { servername }),
      ...(cluster['insecure-skip-tls-verify'] === true && { rejectUnauthorized: false as const }),
    },
  }
}

/** Returns the connection of a kubeconfig that names no files. @throws Error if it cannot be used */
export const connectionOf = (config: Fields): Connection => connectionIn(config, '', {})

/** Reads a context of a kubeconfig. @throws LauncherError if it cannot be used */
export async function readConnection(file: string, choice: ConnectionChoice = {}): Promise<Connection> {
  try {
    const config = await completeKubeconfig(await readObject(file), dirname(file))
    if (!isFields(config)) throw new Error('it is no object')
    return connectionIn(config, dirname(file), choice)
  } catch (error) {
    throw new LauncherError(`The kubeconfig ${file} cannot be used: ${reasonOf(error).replace(/\.$/, '')}.`)
  }
}

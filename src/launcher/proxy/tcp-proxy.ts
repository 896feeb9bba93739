/**
 * Stands in front of workerd, which accepts connections until it has no descriptor left and ends then. Bytes pass unread, with TLS and
 * all: a connection takes little memory here, and reaches workerd only when its client has greeted.
 */
import { createConnection, type Socket } from 'node:net'
import type { Connection, ConnectionLimits } from './connection-limiter.ts'
import { Entrance, type ListenAddress } from './entrance.ts'
import { ClientRecords } from './tls-records.ts'

/** So long a client waits for a workerd that is starting, and so long for the next try; in milliseconds. */
const connectTimeout = 5_000
const retryInterval = 20

/**
 * Passes the bytes of clients on to workerd.
 * @param path workerd's Unix socket
 * @throws LauncherError if the port cannot be used
 */
export const openTcpProxy = (address: ListenAddress, path: string, limits: ConnectionLimits): Promise<Entrance> =>
  Entrance.open(address, limits, (connection, greeting, done) => connect(path, connection, greeting, done))

/** @param since when the client has greeted, in milliseconds since the epoch */
function connect(path: string, connection: Connection, greeting: Buffer, done: () => void, since = Date.now()): void {
  const { socket: client } = connection
  const server = createConnection({ path })
  const retry = (): void => {
    if (client.destroyed || Date.now() - since > connectTimeout) client.destroy()
    else setTimeout(() => connect(path, connection, greeting, done, since), retryInterval).unref()
  }
  server.once('error', retry)
  server.once('connect', () => {
    server.off('error', retry)
    server.on('error', () => undefined)
    server.once('data', done)
    join(connection, server, greeting)
  })
}

function join(connection: Connection, server: Socket, greeting: Buffer): void {
  const { socket: client } = connection
  if (client.destroyed) {
    server.destroy()
    return
  }
  server.write(greeting)
  client.pipe(server).pipe(client)
  client.once('close', () => server.destroy())
  server.once('close', () => client.destroy())
  noteTurns(connection, server, greeting)
}

/** Notes who of the two has spoken last, from the client's first request on. */
function noteTurns(connection: Connection, server: Socket, greeting: Buffer): void {
  const records = new ClientRecords()
  records.hasApplicationData(greeting)
  const isAsking = (): void => connection.become('asking')
  const greets = (chunk: Buffer): void => {
    if (!records.hasApplicationData(chunk)) return
    connection.socket.off('data', greets).on('data', isAsking)
    server.on('data', () => connection.become('answered'))
    isAsking()
  }
  connection.socket.on('data', greets)
}

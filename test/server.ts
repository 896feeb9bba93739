/** A real server for a test file: the bundle on plain workerd with a temporary data directory. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from '../scripts/free-port.ts'
import { PublishedSchemas } from './published-schemas.ts'

const program = resolve(import.meta.dirname, '../bin/edgeplane.mjs')

/** A response. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** Returns the body as JSON; throws if it is not JSON. */
  json<T = Record<string, unknown>>(): T
}

export interface RequestOptions {
  readonly method?: string
  /** A header with several values is sent several times. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Strings and bytes are sent unchanged, other values as JSON. */
  readonly body?: unknown
  /** false: as system:anonymous. */
  readonly token?: string | false
}

/** A running server. */
export interface TestServer {
  readonly url: string
  readonly port: number
  readonly dataDirectory: string
  readonly kubeconfig: string
  readonly token: string
  send(path: string, options?: RequestOptions): Promise<Reply>
  /** Resolves when the response begins; its body is a stream. */
  open(path: string, options?: RequestOptions): Promise<IncomingMessage>
  /** Kills the processes, as a power failure would. */
  kill(): Promise<void>
  /** Checks the responses of `send` against the published OpenAPI, stops the server and removes its data. */
  stop(): Promise<void>
}

async function ready(child: ChildProcess): Promise<void> {
  let output = ''
  await new Promise<void>((done, failed) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('Stop it')) done()
    })
    // The reason belongs to the test's failure: what is only printed may be far from it.
    child.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      process.stderr.write(chunk)
    })
    child.on('close', (code) => failed(new Error(`the server ended with ${code}: ${output}`)))
  })
}

const bytesOf = (body: unknown): string | Uint8Array | undefined =>
  body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)

/**
 * Starts a server, with the data directory and port of an earlier one if they are given.
 * @param more arguments of `edgeplane start`
 */
export async function startServer(
  dataDirectory = mkdtempSync(join(tmpdir(), 'edgeplane-test-')),
  formerPort?: number,
  more: readonly string[] = [],
): Promise<TestServer> {
  const port = formerPort ?? (await freePort())
  // The same tests run over both placements.
  const placement = process.env.PLACEMENT === undefined ? [] : ['--placement', process.env.PLACEMENT]
  const given = ['--port', String(port), '--data-dir', dataDirectory, ...placement, ...more]
  const child = spawn(process.execPath, [program, 'start', ...given], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  await ready(child)
  const token = readFileSync(join(dataDirectory, 'admin-token'), 'utf8').trim()
  // The server closes idle connections after 5 s; a client that gives them up earlier does not send into one that is being closed.
  const agent = new Agent({ keepAlive: true, timeout: 2_000, ca: readFileSync(join(dataDirectory, 'tls/ca.crt'), 'utf8') })
  const open = (path: string, options: RequestOptions = {}): Promise<IncomingMessage> => {
    const body = bytesOf(options.body)
    const bearer = options.token === false ? {} : { authorization: `Bearer ${options.token ?? token}` }
    // Node sends no Content-Length for the body of a DELETE by default.
    const type =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
    const headers: OutgoingHttpHeaders = {
      accept: 'application/json',
      ...bearer,
      ...type,
      ...(options.headers as OutgoingHttpHeaders),
    }
    const method = options.method ?? 'GET'
    // Node asks TLS for the host of the header, which must be a name there.
    const serverName = /^[a-z0-9.:-]*[a-z0-9]$/i.test(String(headers.host ?? 'none')) ? {} : { servername: '' }
    return new Promise((done, failed) => {
      const attempt = (): void => {
        let begun = false
        const sent = request({ agent, host: '127.0.0.1', port, path, method, headers, ...serverName }, (response) => {
          begun = true
          done(response)
        })
        sent.on('error', (error: NodeJS.ErrnoException) => {
          // Go's client, too, repeats a read that was sent on an idle connection just as the server closed it.
          if (!begun && method === 'GET' && sent.reusedSocket && error.code === 'ECONNRESET') attempt()
          else failed(error)
        })
        sent.end(body)
      }
      attempt()
    })
  }
  const published = new PublishedSchemas()
  const send = async (path: string, options?: RequestOptions): Promise<Reply> => {
    const response = await open(path, options)
    // A chunk may end within a character.
    response.setEncoding('utf8')
    let text = ''
    for await (const chunk of response) text += String(chunk)
    return { status: response.statusCode ?? 0, headers: response.headers, text, json: <T>() => JSON.parse(text) as T }
  }
  const fetchDocument = async (path: string): Promise<string | undefined> => {
    const { status, text } = await send(path)
    return status === 200 ? text : undefined
  }
  const ended = once(child, 'exit')
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    agent.destroy()
    if (child.exitCode !== null || child.signalCode !== null) return
    if (signal === 'SIGKILL' && child.pid !== undefined) process.kill(-child.pid, signal)
    else child.kill(signal)
    await ended
  }
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    dataDirectory,
    kubeconfig: join(dataDirectory, 'kubeconfig'),
    token,
    open,
    async send(path, options) {
      const reply = await send(path, options)
      published.add(reply.headers['content-type'], reply.text)
      return reply
    },
    kill: () => end('SIGKILL'),
    async stop() {
      const isRunning = child.exitCode === null && child.signalCode === null
      const problem = await (isRunning ? published.check(fetchDocument) : undefined)?.catch((error: unknown) => error)
      await end('SIGTERM')
      rmSync(dataDirectory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
      if (problem !== undefined) throw problem
    },
  }
}

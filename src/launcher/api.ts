/** Requests to an API server, with the address and the credentials of a kubeconfig. */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { type Connection, type ConnectionChoice, readConnection } from './connection.ts'
import { LauncherError, reasonOf } from './launcher-error.ts'

/** The attempts of a request to which the server answers that it is not ready, and the pause between them in milliseconds. */
const attempts = 10
const pause = 1000

/** The kubeconfig that an option names, or the environment, or the one of the data directory. */
export function kubeconfigFile(option: string | undefined, dataDirectory: string): string {
  const [fromEnvironment] = (process.env.KUBECONFIG ?? '').split(':')
  return option ?? (fromEnvironment || join(dataDirectory, 'kubeconfig'))
}

/** A request. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: string | undefined
  /** The media type of the body; JSON if it is absent. */
  readonly type?: string
  /** The media types of the response; JSON if it is absent. */
  readonly accept?: string
  readonly userAgent?: string
}

/** The response to a request. */
export interface ApiAnswer {
  readonly status: number
  readonly text: string
}

/** A server as a user reaches it. */
export class Api {
  readonly #connection: Connection
  readonly #agent: Agent

  constructor(connection: Connection) {
    this.#connection = connection
    this.#agent = new Agent({ keepAlive: true, ...connection.tls })
  }

  /** Reads a kubeconfig. @throws LauncherError if it cannot be used */
  static async of(file: string, choice?: ConnectionChoice): Promise<Api> {
    return new Api(await readConnection(file, choice))
  }

  get url(): string {
    return this.#connection.url
  }

  get connection(): Connection {
    return this.#connection
  }

  /** Closes the connections. */
  close(): void {
    this.#agent.destroy()
  }

  /** Opens a response. @throws LauncherError if the server cannot be reached or answers with an error */
  async open(path: string, body?: string): Promise<IncomingMessage> {
    const response = await this.#patiently({ method: body === undefined ? 'GET' : 'POST', path, body })
    const { statusCode = 0 } = response
    if (statusCode < 300) return response
    throw this.#refused({ status: statusCode, text: await textOf(response) })
  }

  /** Sends a request. Resolves to the JSON of the response. @throws LauncherError as `open` */
  async json<T>(path: string, body?: object | string): Promise<T> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    return JSON.parse(await textOf(await this.open(path, text))) as T
  }

  /**
   * Sends a request.
   * @param expected the codes of errors that the caller handles
   * @throws LauncherError if the server cannot be reached or answers with another error
   */
  async send(request: ApiRequest, expected: readonly number[] = []): Promise<ApiAnswer> {
    const response = await this.#patiently(request)
    const answer = { status: response.statusCode ?? 0, text: await textOf(response) }
    if (answer.status < 300 || expected.includes(answer.status)) return answer
    throw this.#refused(answer)
  }

  #refused({ status, text }: ApiAnswer): LauncherError {
    return new LauncherError(`${this.url} answers ${status}: ${messageIn(text)}.`)
  }

  /** Repeats a request to a server that is not ready. */
  async #patiently(request: ApiRequest): Promise<IncomingMessage> {
    for (let attempt = 1; ; attempt++) {
      const response = await this.#send(request)
      const { statusCode: status = 0 } = response
      if (status !== 503 && status !== 429) return response
      const text = await textOf(response)
      if (attempt === attempts) {
        throw new LauncherError(`${this.url} still answers ${status}: ${messageIn(text)}. Try again later.`)
      }
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }

  #send({ method, path, body, type, accept, userAgent = 'edgeplane' }: ApiRequest): Promise<IncomingMessage> {
    const { url, authorization } = this.#connection
    const isPlain = url.startsWith('http:')
    const headers = {
      'user-agent': userAgent,
      ...(accept !== undefined && { accept }),
      ...(body !== undefined && { 'content-type': type ?? 'application/json', 'content-length': Buffer.byteLength(body) }),
      ...(authorization !== undefined && { authorization }),
    }
    return new Promise((resolve, reject) => {
      const options = { method, headers, ...(!isPlain && { agent: this.#agent }) }
      const sent = (isPlain ? httpRequest : httpsRequest)(url + path, options, resolve)
      sent.on('error', (error) => reject(new LauncherError(`${url} cannot be reached: ${reasonOf(error).replace(/\.$/, '')}.`)))
      sent.end(body)
    })
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** Returns the message of a Status, or the beginning of another text. */
export function messageIn(text: string): string {
  try {
    return String((JSON.parse(text) as { message?: string }).message).replace(/\.$/, '')
  } catch {
    return text.slice(0, 200).trim().replace(/\.$/, '')
  }
}

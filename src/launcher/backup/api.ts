/** Requests to a server, with the address and the token of a kubeconfig. */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { dirname, join } from 'node:path'
import { readEndpoint, type WebhookEndpoint } from '../../auth/webhook/endpoint.ts'
import { LauncherError, reasonOf } from '../launcher-error.ts'
import { completeKubeconfig, readObject } from '../secret-files.ts'

/** The attempts of a request to which the server answers that it is not ready, and the pause between them in milliseconds. */
const attempts = 10
const pause = 1000

/** The kubeconfig that an option names, or the environment, or the one of the data directory. */
export function kubeconfigFile(option: string | undefined, dataDirectory: string): string {
  const [fromEnvironment] = (process.env.KUBECONFIG ?? '').split(':')
  return option ?? (fromEnvironment || join(dataDirectory, 'kubeconfig'))
}

/** A server as its administrator reaches it. */
export class Api {
  readonly #endpoint: WebhookEndpoint
  readonly #agent: Agent

  constructor(endpoint: WebhookEndpoint) {
    this.#endpoint = endpoint
    const { certificateAuthority: ca } = endpoint
    this.#agent = new Agent({ keepAlive: true, ...(ca !== undefined && { ca }) })
  }

  /** Reads a kubeconfig with a token. @throws LauncherError if it cannot be used */
  static async of(file: string): Promise<Api> {
    try {
      const complete = await completeKubeconfig(await readObject(file), dirname(file))
      return new Api(readEndpoint(JSON.stringify(complete), 'the kubeconfig'))
    } catch (error) {
      throw new LauncherError(`The kubeconfig ${file} cannot be used: ${reasonOf(error).replace(/\.$/, '')}.`)
    }
  }

  get url(): string {
    return this.#endpoint.url
  }

  /** Closes the connections. */
  close(): void {
    this.#agent.destroy()
  }

  /** Opens a response. @throws LauncherError if the server cannot be reached or answers with an error */
  async open(path: string, body?: string): Promise<IncomingMessage> {
    for (let attempt = 1; ; attempt++) {
      const response = await this.#send(path, body)
      const { statusCode = 0 } = response
      if (statusCode < 300) return response
      const message = messageIn(await textOf(response))
      if (statusCode !== 503 && statusCode !== 429) throw new LauncherError(`${this.url} answers ${statusCode}: ${message}.`)
      if (attempt === attempts) throw new LauncherError(`${this.url} still answers ${statusCode}: ${message}. Try again later.`)
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }

  /** Sends a request. Resolves to the JSON of the response. */
  async json<T>(path: string, body?: object | string): Promise<T> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    return JSON.parse(await textOf(await this.open(path, text))) as T
  }

  #send(path: string, body: string | undefined): Promise<IncomingMessage> {
    const { url, authorization } = this.#endpoint
    const isPlain = url.startsWith('http:')
    return new Promise((resolve, reject) => {
      const sent = (isPlain ? httpRequest : httpsRequest)(
        url.replace(/\/$/, '') + path,
        {
          method: body === undefined ? 'GET' : 'POST',
          headers: { 'user-agent': 'edgeplane', ...(authorization !== undefined && { authorization }) },
          ...(!isPlain && { agent: this.#agent }),
        },
        resolve,
      )
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
function messageIn(text: string): string {
  try {
    return String((JSON.parse(text) as { message?: string }).message).replace(/\.$/, '')
  } catch {
    return text.slice(0, 200).trim().replace(/\.$/, '')
  }
}

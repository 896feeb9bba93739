/** A plain HTTP client that asks as client-go does. */
import { adminToken } from './server.ts'

interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body?: object | string
  readonly contentType?: string
  readonly token?: string
}

export interface KubeObject {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: { readonly name?: string; readonly namespace?: string; readonly resourceVersion?: string }
}

/** An open watch. */
export interface OpenWatch {
  /** Resolves when the server ends the watch or it was closed. */
  readonly ended: Promise<void>
  close(): void
}

/** A client of one cluster. */
export class Client {
  readonly #url: string
  readonly #token: string

  /** @param path of the cluster on the server */
  constructor(server: { readonly url: string }, path = '', token = adminToken) {
    this.#url = server.url + path
    this.#token = token
  }

  /**
   * Sends a request and reads the whole response.
   * @throws Error if the status is not 2xx
   */
  async send<T = KubeObject>(path: string, given: Request = {}): Promise<T> {
    const response = await this.#fetch(path, given)
    const text = await response.text()
    if (!response.ok) throw new Error(`${given.method ?? 'GET'} ${path}: ${response.status} ${text}`)
    return JSON.parse(text) as T
  }

  /** Reads a resource that may be missing. */
  async read(path: string): Promise<void> {
    await (await this.#fetch(path, {})).arrayBuffer()
  }

  create(path: string, body: object): Promise<KubeObject> {
    return this.send(path, { method: 'POST', body })
  }

  /** Opens a watch with bookmarks from a version, as a reflector does. */
  async watch(path: string, resourceVersion: string, timeoutSeconds: number): Promise<OpenWatch> {
    const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${resourceVersion}&timeoutSeconds=${timeoutSeconds}`
    const abort = new AbortController()
    const response = await this.#fetch(`${path}?${query}`, {}, abort.signal)
    if (!response.ok || response.body === null) throw new Error(`watch ${path}: ${response.status}`)
    return { ended: untilEnd(response.body), close: () => abort.abort() }
  }

  #fetch(path: string, { method = 'GET', body, contentType, token }: Request, signal?: AbortSignal): Promise<Response> {
    return fetch(this.#url + path, {
      method,
      headers: { authorization: `Bearer ${token ?? this.#token}`, 'content-type': contentType ?? 'application/json' },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    })
  }
}

async function untilEnd(body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader()
  try {
    while (!(await reader.read()).done);
  } catch {
    // The client has closed the watch.
  }
}

/** Calls a function with 0 … times - 1, through so many connections at once. */
export async function inParallel(times: number, connections: number, act: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const work = async (): Promise<void> => {
    for (let index = next++; index < times; index = next++) await act(index)
  }
  await Promise.all(Array.from({ length: Math.min(connections, times) }, work))
}

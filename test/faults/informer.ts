/**
 * An informer like those of client libraries: lists, watches from the list's resourceVersion, resumes from the last seen version,
 * and lists again after 410 Expired. Its cache is the state that a controller sees.
 */
import type { TestServer } from '../server.ts'

interface Item {
  readonly metadata: { readonly name: string; readonly resourceVersion: string }
  readonly data?: { readonly at?: string }
}

interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: Item
}

/** A violation of the watch guarantees. */
export type Fault = string

export class Informer {
  readonly cache = new Map<string, Item>()
  readonly faults: Fault[] = []
  readonly #path: string
  readonly #server: () => TestServer
  #version = ''
  #stopped = false

  constructor(server: () => TestServer, path: string) {
    this.#server = server
    this.#path = path
  }

  /** The cached names with data and resourceVersions, for comparison with a list. */
  get state(): Record<string, string> {
    return stateOf([...this.cache.values()])
  }

  stop(): void {
    this.#stopped = true
  }

  /** Runs until it is stopped, also while the server is down. */
  async run(): Promise<void> {
    while (!this.#stopped) {
      try {
        if (this.#version === '') await this.#list()
        await this.#watch()
      } catch {
        // The server or the connection is gone: the next attempt resumes from the last version.
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  }

  async #list(): Promise<void> {
    const reply = await this.#server().send(this.#path)
    if (reply.status !== 200) throw new Error(`the list was answered ${reply.status}`)
    const list = reply.json<{ metadata: { resourceVersion: string }; items: Item[] }>()
    this.cache.clear()
    for (const item of list.items) this.cache.set(item.metadata.name, item)
    this.#version = list.metadata.resourceVersion
  }

  async #watch(): Promise<void> {
    const query = `watch=1&allowWatchBookmarks=true&timeoutSeconds=2&resourceVersion=${this.#version}`
    const response = await this.#server().open(`${this.#path}?${query}`)
    let rest = ''
    for await (const chunk of response) {
      const lines = (rest + String(chunk)).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line !== '') this.#take(JSON.parse(line) as WatchEvent)
      if (this.#stopped) response.destroy()
    }
  }

  #take({ type, object }: WatchEvent): void {
    if (type === 'ERROR') {
      this.#version = ''
      return
    }
    const { name, resourceVersion } = object.metadata
    const newer = Number(resourceVersion) - Number(this.#version)
    if (newer < 0 || (newer === 0 && type !== 'BOOKMARK'))
      this.faults.push(`${type} ${name} at ${resourceVersion} after ${this.#version}`)
    if (type === 'ADDED' && this.cache.has(name)) this.faults.push(`ADDED ${name} which was there`)
    if ((type === 'MODIFIED' || type === 'DELETED') && !this.cache.has(name))
      this.faults.push(`${type} ${name} which was not there`)
    this.#version = resourceVersion
    if (type === 'DELETED') this.cache.delete(name)
    else if (type !== 'BOOKMARK') this.cache.set(name, object)
  }
}

/** Returns names with a text that identifies the state of the object. */
export function stateOf(items: readonly Item[]): Record<string, string> {
  const sorted = items.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  return Object.fromEntries(sorted.map(({ metadata, data }) => [metadata.name, `${metadata.resourceVersion} ${data?.at ?? ''}`]))
}

/**
 * The OpenAPI 2 documents of other API servers. They are read when somebody asks for the merged document, and again after a minute,
 * as often as the OpenAPI controller of k8s.io/kube-aggregator does: without such requests nobody is asked.
 */
import { aggregatorUser, readDocument, type ServerAccess } from '../../auth/front-proxy/read-document.ts'
import type { ApiService, ApiServices } from '../../clusters/api-services.ts'
import { sha512 } from '../openapi/document-hash.ts'
import { type OtherDocument, readOtherDocument } from '../openapi/other-document.ts'

/** So long a document is used before its server is asked again, and so long a server that has not answered is not asked. */
const refreshAfter = 60_000
const retryAfter = 5_000
/** The maximum length of all documents together. */
const mostCharacters = 8 * 1024 * 1024

/** The last state of a server's document. */
interface Known {
  /** The way to the server; another one is another server. */
  readonly way: string
  /** When the server is asked again, in milliseconds since the epoch. */
  readonly until: number
  /** The entity tag of the server, if it has sent one. */
  readonly tag?: string | undefined
  /** Undefined if the server has none. The last one remains if the server does not answer. */
  readonly document?: OtherDocument | undefined
}

const byPriority = (a: ApiService, b: ApiService): number => {
  const higher =
    a.group === b.group
      ? b.versionPriority - a.versionPriority
      : b.groupPriority - a.groupPriority || (a.group < b.group ? -1 : 1)
  return higher || (a.version < b.version ? -1 : 1)
}

/** Returns the documents that fit, those of higher priorities first. */
function bounded(documents: readonly OtherDocument[]): OtherDocument[] {
  let characters = 0
  return documents.filter(({ text }) => {
    const fits = characters + text.length <= mostCharacters
    if (fits) characters += text.length
    return fits
  })
}

/** The documents of the servers behind the APIServices of one cluster. */
export class OtherOpenApi {
  readonly #access: ServerAccess
  readonly #known = new Map<string, Known>()
  #last: readonly OtherDocument[] = []

  constructor(access: ServerAccess) {
    this.#access = access
  }

  /** Returns the documents in the order of their priorities: the same list as long as none has changed. */
  async current(services: ApiServices): Promise<readonly OtherDocument[]> {
    const all = Object.entries(services)
    for (const name of this.#known.keys()) if (!Object.hasOwn(services, name)) this.#known.delete(name)
    await Promise.all(all.map(([name, service]) => this.#refresh(name, service)))
    const documents = all.sort(([, a], [, b]) => byPriority(a, b)).flatMap(([name]) => this.#known.get(name)?.document ?? [])
    const found = bounded(documents)
    const isSame = found.length === this.#last.length && found.every((one, at) => one === this.#last[at])
    if (!isSame) this.#last = found
    return this.#last
  }

  async #refresh(name: string, service: ApiService): Promise<void> {
    const way = JSON.stringify([service.service, service.caBundle, service.isInsecure])
    const before = this.#known.get(name)
    const known = before?.way === way ? before : { way, until: 0 }
    if (!service.isAvailable || known.until > Date.now()) return
    // Other requests do not ask meanwhile, and may wait for no promise of this one.
    this.#known.set(name, { ...known, until: Date.now() + retryAfter })
    try {
      this.#known.set(name, await this.#read(service, known))
    } catch {
      // The last document remains, and the server is asked again soon.
    }
  }

  /** @throws Error if the server does not answer, or not with a document */
  async #read(service: ApiService, known: Known): Promise<Known> {
    const until = Date.now() + refreshAfter
    const backend = await this.#access.backends.find(service)
    const condition = known.tag === undefined ? [] : [['if-none-match', known.tag] as const]
    const headers = [['accept', 'application/json'] as const, ...condition]
    const server = { ...this.#access, service, backend }
    const { status, headers: received, text } = await readDocument(server, '/openapi/v2', aggregatorUser, headers)
    if (status === 304 && known.tag !== undefined) return { ...known, until }
    if (status === 404) return { way: known.way, until }
    if (status !== 200) throw new Error(`status ${status}`)
    const tag = received.get('etag') ?? undefined
    const hash = await sha512(new TextEncoder().encode(text))
    if (known.document?.tag === hash) return { ...known, tag, until }
    const found = readOtherDocument(text, `apis/${service.group}/${service.version}`)
    return { way: known.way, until, tag, document: found && { ...found, tag: hash } }
  }
}

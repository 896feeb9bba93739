/** The documents of OpenAPI for one set of served versions, each made and written once, when it is first asked for. */
import type { JsonObject } from '../../meta/json-value.ts'
import type { VersionTable } from '../../schema/tables.ts'
import { type Part, partsOf } from './document-paths.ts'
import { encodeDocument } from './protobuf.ts'
import { document2 } from './version2.ts'
import { document2Message } from './version2-messages.ts'
import { document3 } from './version3.ts'
import { document3Message } from './version3-messages.ts'

/** Forms of a document. */
export type Form = 'json' | 'protobuf'

/** By the document's path under /openapi, the SHA-512 of its JSON, in upper case. */
export type Hashes = Readonly<Record<string, string>>

/** The document of version 2, which has the whole API. */
const WHOLE = 'v2'

/** A document that can be had in several forms. */
export interface Document {
  /** The SHA-512 of its JSON, in upper case: entity tag without the quotes, and the `hash` of its address. */
  hash(): Promise<string>
  bytes(form: Form): Promise<Uint8Array>
}

const encoder = new TextEncoder()

/** Go's encoder of JSON, which writes version 3, escapes what HTML would read. */
const escapes = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026', '\u2028': '\\u2028', '\u2029': '\\u2029' } as const
const escaped = (json: string): string =>
  json.replace(/[<>&\u2028\u2029]/g, (character) => escapes[character as keyof typeof escapes])

async function sha512(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-512', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase()
}

function once<T>(made: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const found = made.get(key) ?? make()
  made.set(key, found)
  return found
}

/** The address of a part's document in the version that the hash is of. */
export const addressOf = (part: string, hash: string): string => `/openapi/v3/${part}?hash=${hash}`

/** OpenAPI of what is served. Nothing is made before it is asked for. */
export class OpenApiDocuments {
  readonly #served: readonly VersionTable[]
  readonly #tables: ReadonlyMap<string, VersionTable>
  readonly #hashes: Hashes
  readonly #written = new Map<string, Promise<Uint8Array>>()
  readonly #hashed = new Map<string, Promise<string>>()
  #parts: ReadonlyMap<string, Part> | undefined

  /**
   * `tables` has the types of the served versions and of all they refer to, by `<package>/<version>`. `hashes` are those that
   * are known beforehand: to tell of these documents they need not be made.
   */
  constructor(served: readonly VersionTable[], tables: ReadonlyMap<string, VersionTable>, hashes: Hashes) {
    this.#served = served
    this.#tables = tables
    this.#hashes = hashes
  }

  /** The paths of the documents of version 3, without /openapi/v3/, in order. */
  parts(): ReadonlyMap<string, Part> {
    this.#parts ??= partsOf(this.#tables, this.#served)
    return this.#parts
  }

  /** The document of /openapi/v2. */
  whole(): Document {
    const make = (): JsonObject => document2(this.parts().values(), this.#tables)
    return this.#document(WHOLE, {
      json: () => encoder.encode(JSON.stringify(make())),
      protobuf: () => encodeDocument(make(), document2Message),
    })
  }

  /** The document of /openapi/v2, compressed. */
  compressed(form: Form): Promise<Uint8Array> {
    return once(this.#written, `${WHOLE} ${form} gzip`, async () => {
      const stream = new Blob([await this.whole().bytes(form)]).stream().pipeThrough(new CompressionStream('gzip'))
      return new Uint8Array(await new Response(stream).arrayBuffer())
    })
  }

  /** The document of /openapi/v3: where the others are. It makes those whose hashes are not known. */
  index(): Promise<Uint8Array> {
    return once(this.#written, 'v3', async () => {
      const paths = await Promise.all(
        [...this.parts().values()].map(async (part) => {
          const hash = await this.#partDocument(part).hash()
          return [part.name, { serverRelativeURL: addressOf(part.name, hash) }] as const
        }),
      )
      return encoder.encode(JSON.stringify({ paths: Object.fromEntries(paths) }))
    })
  }

  /** The document of /openapi/v3/<name>; undefined where there is no such part. */
  part(name: string): Document | undefined {
    const part = this.parts().get(name)
    return part === undefined ? undefined : this.#partDocument(part)
  }

  #partDocument(part: Part): Document {
    const make = (): JsonObject => document3(part, this.#tables)
    return this.#document(`v3/${part.name}`, {
      json: () => encoder.encode(escaped(JSON.stringify(make()))),
      protobuf: () => encodeDocument(make(), document3Message),
    })
  }

  #document(name: string, forms: Readonly<Record<Form, () => Uint8Array>>): Document {
    const bytes = (form: Form): Promise<Uint8Array> => once(this.#written, `${name} ${form}`, async () => forms[form]())
    return {
      bytes,
      hash: async () => this.#hashes[name] ?? once(this.#hashed, name, async () => sha512(await bytes('json'))),
    }
  }
}

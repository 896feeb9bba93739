/** The documents of OpenAPI for one set of served versions, each made and written once, when it is first asked for. */
import type { JsonObject, JsonValue } from '../../meta/json-value.ts'
import type { VersionTable } from '../../schema/tables.ts'
import { type Part, partsOf } from './document-paths.ts'
import { encodeDocument } from './protobuf.ts'
import { document2 } from './version2.ts'
import { document3 } from './version3.ts'

/** A document as it goes out. */
export interface Document {
  readonly bytes: Uint8Array
  /** The SHA-512 of its JSON, in upper case: entity tag without the quotes, and the `hash` of its address. */
  readonly hash: string
}

const encoder = new TextEncoder()

/** Forms of the document of version 2. */
export type Form2 = 'json' | 'protobuf'

async function documentOf(value: JsonValue): Promise<Document> {
  const bytes = encoder.encode(JSON.stringify(value))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-512', bytes))
  const hash = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return { bytes, hash: hash.toUpperCase() }
}

/** The address of a part's document in the version that the hash is of. */
export const addressOf = (part: string, hash: string): string => `/openapi/v3/${part}?hash=${hash}`

/** OpenAPI of what is served. Nothing is made before it is asked for. */
export class OpenApiDocuments {
  readonly #served: readonly VersionTable[]
  readonly #tables: ReadonlyMap<string, VersionTable>
  readonly #made = new Map<string, Promise<Document>>()
  #parts: ReadonlyMap<string, Part> | undefined

  /** `tables` has the types of the served versions and of all they refer to, by `<package>/<version>`. */
  constructor(served: readonly VersionTable[], tables: ReadonlyMap<string, VersionTable>) {
    this.#served = served
    this.#tables = tables
  }

  /** The paths of the documents of version 3, without /openapi/v3/, in order. */
  parts(): ReadonlyMap<string, Part> {
    this.#parts ??= partsOf(this.#tables, this.#served)
    return this.#parts
  }

  /** The document of /openapi/v2. Its hash is that of the JSON in all forms. */
  whole(form: Form2): Promise<Document> {
    if (form === 'json') return this.#once('/openapi/v2', () => documentOf(this.#document2()))
    return this.#once('/openapi/v2 protobuf', async () => {
      const { hash } = await this.whole('json')
      return { bytes: encodeDocument(this.#document2()), hash }
    })
  }

  /** The document of /openapi/v2, compressed. */
  compressed(form: Form2): Promise<Document> {
    return this.#once(`/openapi/v2 ${form} gzip`, async () => {
      const { bytes, hash } = await this.whole(form)
      const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'))
      return { bytes: new Uint8Array(await new Response(stream).arrayBuffer()), hash }
    })
  }

  #document2(): JsonObject {
    return document2(this.parts().values(), this.#tables)
  }

  /** The document of /openapi/v3: where the others are. It makes them all, since their addresses tell their hashes. */
  index(): Promise<Document> {
    return this.#once('/openapi/v3', async () => {
      const paths = await Promise.all(
        [...this.parts().values()].map(async (part) => {
          const { hash } = await this.#part(part)
          return [part.name, { serverRelativeURL: addressOf(part.name, hash) }] as const
        }),
      )
      return documentOf({ paths: Object.fromEntries(paths) })
    })
  }

  /** The document of /openapi/v3/<name>; undefined where there is no such part. */
  part(name: string): Promise<Document> | undefined {
    const part = this.parts().get(name)
    return part === undefined ? undefined : this.#part(part)
  }

  #part(part: Part): Promise<Document> {
    return this.#once(part.name, () => documentOf(document3(part, this.#tables)))
  }

  #once(key: string, make: () => Promise<Document>): Promise<Document> {
    const made = this.#made.get(key) ?? make()
    this.#made.set(key, made)
    return made
  }
}

/** The documents of OpenAPI for one set of served versions, each made and written once, when it is first asked for. */
import type { JsonObject } from '../../meta/json-value.ts'
import type { VersionTable } from '../../schema/tables.ts'
import type { CustomVersion } from './custom-resources.ts'
import { customPart, ordered, type Part, partsOf } from './document-paths.ts'
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

function once<T>(made: Map<Form, Promise<T>>, key: Form, make: () => Promise<T>): Promise<T> {
  const found = made.get(key) ?? make()
  made.set(key, found)
  return found
}

/** The address of a part's document in the version that the hash is of. */
export const addressOf = (part: string, hash: string): string => `/openapi/v3/${part}?hash=${hash}`

type Tables = ReadonlyMap<string, VersionTable>
type Forms = Readonly<Record<Form, () => Uint8Array>>

/** A document of which all that is made is kept. Its hash may be known beforehand. */
function keptDocument(forms: Forms, known: string | undefined): Document {
  const written = new Map<Form, Promise<Uint8Array>>()
  const bytes = (form: Form): Promise<Uint8Array> => once(written, form, async () => forms[form]())
  let hash: Promise<string> | undefined
  return {
    bytes,
    async hash() {
      if (known !== undefined) return known
      hash ??= bytes('json').then(sha512)
      return hash
    },
  }
}

/** A document of which only the hash is kept: there may be hundreds of them, and a client asks for each once. */
function hashedDocument(forms: Forms): Document {
  let hash: Promise<string> | undefined
  return {
    bytes: async (form) => forms[form](),
    hash() {
      hash ??= sha512(forms.json())
      return hash
    },
  }
}

function formsOf(part: Part, tables: Tables): Forms {
  const make = (): JsonObject => document3(part, tables)
  return {
    json: () => encoder.encode(escaped(JSON.stringify(make()))),
    protobuf: () => encodeDocument(make(), document3Message),
  }
}

/** By versions of custom resources, which change as a whole: their documents are the same as long as they are. */
const customDocuments = new WeakMap<CustomVersion, Document>()

/** OpenAPI of what is served. Nothing is made before it is asked for. */
export class OpenApiDocuments {
  readonly #parts: ReadonlyMap<string, Part>
  readonly #tables: Tables
  readonly #documentOf: (part: Part) => Document
  readonly #whole: Document
  readonly #compressed = new Map<Form, Promise<Uint8Array>>()
  #index: Promise<Uint8Array> | undefined

  private constructor(parts: ReadonlyMap<string, Part>, tables: Tables, documentOf: (part: Part) => Document, hash?: string) {
    this.#parts = parts
    this.#tables = tables
    this.#documentOf = documentOf
    const make = (): JsonObject => document2([...parts.values()], tables)
    const json = (): Uint8Array => encoder.encode(JSON.stringify(make()))
    this.#whole = keptDocument({ json, protobuf: () => encodeDocument(make(), document2Message) }, hash)
  }

  /**
   * Documents of the served versions. `tables` has their types and all that these refer to, by `<package>/<version>`. `hashes`
   * are those that are known beforehand: to tell of these documents they need not be made.
   */
  static of(served: readonly VersionTable[], tables: Tables, hashes: Hashes): OpenApiDocuments {
    const documents = new Map<Part, Document>()
    const documentOf = (part: Part): Document => {
      const found = documents.get(part) ?? keptDocument(formsOf(part, tables), hashes[`v3/${part.name}`])
      documents.set(part, found)
      return found
    }
    return new OpenApiDocuments(partsOf(tables, served), tables, documentOf, hashes[WHOLE])
  }

  /** These documents and those of custom resources. A version that is already there stays as it is. */
  with(custom: readonly CustomVersion[]): OpenApiDocuments {
    const added = custom.map((version) => customPart(this.#tables, version)).filter(({ name }) => !this.#parts.has(name))
    const documentOf = (part: Part): Document => {
      if (part.custom === undefined) return this.#documentOf(part)
      const found = customDocuments.get(part.custom) ?? hashedDocument(formsOf(part, this.#tables))
      customDocuments.set(part.custom, found)
      return found
    }
    return new OpenApiDocuments(ordered([...this.#parts.values(), ...added]), this.#tables, documentOf)
  }

  /** The paths of the documents of version 3, without /openapi/v3/, in order. */
  names(): readonly string[] {
    return [...this.#parts.keys()]
  }

  /** The document of /openapi/v2. */
  whole(): Document {
    return this.#whole
  }

  /** The document of /openapi/v2, compressed. */
  compressed(form: Form): Promise<Uint8Array> {
    return once(this.#compressed, form, async () => {
      const stream = new Blob([await this.#whole.bytes(form)]).stream().pipeThrough(new CompressionStream('gzip'))
      return new Uint8Array(await new Response(stream).arrayBuffer())
    })
  }

  /** The document of /openapi/v3: where the others are. It makes those whose hashes are not known. */
  index(): Promise<Uint8Array> {
    this.#index ??= this.#makeIndex()
    return this.#index
  }

  async #makeIndex(): Promise<Uint8Array> {
    const paths: [string, JsonObject][] = []
    for (const part of this.#parts.values()) {
      paths.push([part.name, { serverRelativeURL: addressOf(part.name, await this.#documentOf(part).hash()) }])
    }
    return encoder.encode(JSON.stringify({ paths: Object.fromEntries(paths) }))
  }

  /** The document of /openapi/v3/<name>; undefined where there is no such part. */
  part(name: string): Document | undefined {
    const part = this.#parts.get(name)
    return part === undefined ? undefined : this.#documentOf(part)
  }
}

/** The OpenAPI documents of one set of served versions. Each is made and encoded once, at its first request. */

import { newestRelease, releaseText } from '../../catalog/lifecycle.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { escapeHtml } from '../../go/text.ts'
import { LruCache } from '../../meta/lru-cache.ts'
import { memoryBudget } from '../../meta/memory-budget.ts'
import { nextSlice } from '../../meta/slices.ts'
import type { Release, VersionTable } from '../../schema/tables.ts'
import { toVersion3 } from './convert-to-version3.ts'
import { type CustomVersion, readSchemas } from './custom-resources.ts'
import { sha512, tagHash } from './document-hash.ts'
import { customPart, ordered, type Part, partsOf } from './document-paths.ts'
import type { OtherDocument, Specification } from './other-document.ts'
import { encodeDocument } from './protobuf.ts'
import type { MakeSchema } from './schemas.ts'
import { document3 } from './version3.ts'
import { document3Message } from './version3-messages.ts'
import { type Form, WholeDocument } from './whole-document.ts'

/** The SHA-512 of each document's JSON in upper case, by the document's path under /openapi. */
export type Hashes = Readonly<Record<string, string>>

/** The document of version 2, which describes the whole API. */
const WHOLE = 'v2'

/** A document that is available in several encodings. */
export interface Document {
  /** Returns the SHA-512 of its JSON in upper case: the entity tag without quotes, and the `hash` in its URL. */
  hash(): Promise<string>
  bytes(form: Form): Promise<Uint8Array>
}

const encoder = new TextEncoder()

/** Returns the serverRelativeURL of a part's document with this hash. @param basePath '' for the default cluster */
export const addressOf = (basePath: string, part: string, hash: string): string => `${basePath}/openapi/v3/${part}?hash=${hash}`

type Tables = ReadonlyMap<string, VersionTable>
type Forms = Readonly<Record<Form, () => Uint8Array>>

/** The most bytes of documents that are kept. */
const mostBytes = 16 * 1024 * 1024

/** The kept documents of this isolate, by the functions that make them. */
const written = new LruCache<() => Uint8Array, Uint8Array>(mostBytes, (_make, { byteLength }) => byteLength, memoryBudget)

function writtenOnce(make: () => Uint8Array): Uint8Array {
  const found = written.get(make) ?? make()
  written.set(make, found)
  return found
}

/** Returns a document whose encodings are kept. `known` returns its hash if that is known without the document. */
function keptDocument(forms: Forms, known: (() => Promise<string>) | undefined): Document {
  const bytes = async (form: Form): Promise<Uint8Array> => {
    // Each request has its own timer: the runtime cancels a request that awaits a promise of another one.
    if (written.get(forms[form]) === undefined) await nextSlice()
    return writtenOnce(forms[form])
  }
  let hash: Promise<string> | undefined
  return {
    bytes,
    async hash() {
      hash ??= known?.() ?? bytes('json').then(sha512)
      return hash
    },
  }
}

/** Returns the document of custom resources. Nothing is kept: there may be hundreds of them, and a client reads each once. */
function taggedDocument(part: Part, custom: CustomVersion, tables: Tables, builtIn: () => Promise<string>): Document {
  let hash: Promise<string> | undefined
  return {
    async bytes(form) {
      const makes = await readSchemas(custom)
      await nextSlice()
      return formsOf(part, tables, makes)[form]()
    },
    hash() {
      hash ??= builtIn().then((version) => tagHash([version, part.name, custom.tag]))
      return hash
    },
  }
}

function formsOf(part: Part, tables: Tables, ofCustom: readonly (readonly [string, MakeSchema])[] = []): Forms {
  const make = (): JsonObject => document3(part, tables, ofCustom)
  return {
    json: () => encoder.encode(escapeHtml(JSON.stringify(make()))),
    protobuf: () => encodeDocument(make(), document3Message),
  }
}

/** Returns the OpenAPI 3 document of a server that has only OpenAPI 2, of which nothing is kept: a client reads it once. */
export function convertedDocument({ text, tag }: OtherDocument): Document {
  const make = (): JsonObject => toVersion3(JSON.parse(text) as Specification)
  return {
    hash: async () => tag,
    async bytes(form) {
      await nextSlice()
      return form === 'protobuf' ? encodeDocument(make(), document3Message) : encoder.encode(escapeHtml(JSON.stringify(make())))
    },
  }
}

/** How the documents of a set of parts are made. */
interface DocumentsOfParts {
  readonly documentOf: (part: Part) => Document
  /** Returns the hash of the whole document; undefined if it is the hash of its JSON. */
  readonly hash: (() => Promise<string>) | undefined
  readonly release: Release
}

/** The OpenAPI documents of the served versions. A document is made only when it is requested. */
export class OpenApiDocuments {
  readonly #parts: ReadonlyMap<string, Part>
  readonly #tables: Tables
  readonly #documentOf: (part: Part) => Document
  readonly #whole: WholeDocument
  readonly #release: Release
  #index: Promise<Uint8Array> | undefined

  private constructor(parts: ReadonlyMap<string, Part>, tables: Tables, { documentOf, hash, release }: DocumentsOfParts) {
    this.#parts = parts
    this.#tables = tables
    this.#documentOf = documentOf
    this.#release = release
    this.#whole = new WholeDocument([...parts.values()], tables, hash)
  }

  /**
   * Returns the documents of the served versions.
   * @param tables the types of these versions and all types that they refer to, by `<package>/<version>`
   * @param hashes the hashes that are known at build time: with them, the index can be served without making the documents
   */
  static of(served: readonly VersionTable[], tables: Tables, hashes: Hashes): OpenApiDocuments {
    const known = (name: string): (() => Promise<string>) | undefined => {
      const hash = hashes[name]
      return hash === undefined ? undefined : async () => hash
    }
    return OpenApiDocuments.#of(partsOf(tables, served), tables, known, newestRelease)
  }

  /**
   * Returns the documents of the versions that another release serves, or that settings change. Their hashes follow from what the
   * documents depend on.
   * @param hashes the hashes of the default documents: these change if the server changes
   */
  static ofRelease(served: readonly VersionTable[], tables: Tables, hashes: Hashes, release: Release): OpenApiDocuments {
    const names = served.map(({ group, version, resources }) =>
      [group, version, ...resources.map((each) => each.resource)].join('/'),
    )
    const tags = [hashes[WHOLE] ?? '', releaseText(release), ...names]
    return OpenApiDocuments.#of(partsOf(tables, served, release), tables, (name) => () => tagHash([name, ...tags]), release)
  }

  static #of(
    parts: ReadonlyMap<string, Part>,
    tables: Tables,
    known: (name: string) => (() => Promise<string>) | undefined,
    release: Release,
  ): OpenApiDocuments {
    const documents = new Map<Part, Document>()
    const documentOf = (part: Part): Document => {
      const found = documents.get(part) ?? keptDocument(formsOf(part, tables), known(`v3/${part.name}`))
      documents.set(part, found)
      return found
    }
    return new OpenApiDocuments(parts, tables, { documentOf, hash: known(WHOLE), release })
  }

  /**
   * Returns these documents together with those of custom resources, whose hashes follow from their tags and from the hash of the
   * built-in documents. A group version that already exists is not replaced.
   */
  with(custom: readonly CustomVersion[]): OpenApiDocuments {
    const added = custom
      .map((version) => customPart(this.#tables, version, this.#release))
      .filter(({ name }) => !this.#parts.has(name))
    const builtIn = (): Promise<string> => this.#whole.hash()
    const documents = new Map<Part, Document>()
    const documentOf = (part: Part): Document => {
      if (part.custom === undefined) return this.#documentOf(part)
      const found = documents.get(part) ?? taggedDocument(part, part.custom, this.#tables, builtIn)
      documents.set(part, found)
      return found
    }
    const tags = added.flatMap(({ name, custom: version }) => [name, version?.tag ?? ''])
    const hash = async (): Promise<string> => tagHash([await builtIn(), ...tags])
    const parts = ordered([...this.#parts.values(), ...added])
    return new OpenApiDocuments(parts, this.#tables, { documentOf, hash, release: this.#release })
  }

  /** Returns the paths of the documents of version 3, without /openapi/v3/, in order. */
  names(): readonly string[] {
    return [...this.#parts.keys()]
  }

  /** Returns the document of /openapi/v2. */
  whole(): WholeDocument {
    return this.#whole
  }

  /** Returns the document of /openapi/v2 together with those of other servers, in the order of their priorities. */
  wholeWith(others: readonly OtherDocument[]): WholeDocument {
    const tags = others.flatMap(({ part, tag }) => [part, tag])
    const hash = async (): Promise<string> => tagHash([await this.#whole.hash(), ...tags])
    return new WholeDocument([...this.#parts.values()], this.#tables, hash, others)
  }

  /** Returns the index at /openapi/v3, with the URLs of all documents. */
  index(basePath: string): Promise<Uint8Array> {
    if (basePath !== '') return this.#makeIndex(basePath)
    this.#index ??= this.#makeIndex('')
    return this.#index
  }

  async #makeIndex(basePath: string): Promise<Uint8Array> {
    const paths: [string, JsonObject][] = []
    for (const part of this.#parts.values()) {
      paths.push([part.name, { serverRelativeURL: addressOf(basePath, part.name, await this.#documentOf(part).hash()) }])
    }
    return encoder.encode(JSON.stringify({ paths: Object.fromEntries(paths) }))
  }

  /** Returns the document of /openapi/v3/<name>, or undefined if it does not exist. */
  part(name: string): Document | undefined {
    const part = this.#parts.get(name)
    return part === undefined ? undefined : this.#documentOf(part)
  }
}

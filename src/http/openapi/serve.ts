/**
 * Serves the paths of OpenAPI. They are not resources: every method has the response of GET, and errors have no body.
 * Follows handler and handler3 of k8s.io/kube-openapi/pkg.
 */

import { served, typeTables } from '../../catalog/generated/served.ts'
import { tablesIn } from '../../catalog/older-types.ts'
import type { ResourceConfig } from '../../catalog/resource-config.ts'
import { servedVersions } from '../../catalog/served-versions.ts'
import type { ApiServices } from '../../clusters/api-services.ts'
import { parseAccept } from '../codec/accept.ts'
import { noCache } from '../codec/headers.ts'
import type { CustomVersion } from './custom-resources.ts'
import { addressOf, convertedDocument, type Document, OpenApiDocuments } from './documents.ts'
import { hashes } from './hashes.ts'
import type { OtherDocument } from './other-document.ts'
import { serveContent } from './serve-content.ts'
import type { Form, WholeDocument } from './whole-document.ts'

const builtIn = OpenApiDocuments.of(served, typeTables, hashes)

const isOpenApi = (path: string): boolean => path === '/openapi/v2' || path === '/openapi/v3' || path.startsWith('/openapi/v3/')

const year = 365 * 24 * 60 * 60 * 1000

/** Headers of a document whose URL has its hash: it never changes. Expires has UTC instead of GMT, as in kube-apiserver. */
const forever = () => ({
  'Cache-Control': 'public, immutable',
  Expires: new Date(Date.now() + year).toUTCString().replace('GMT', 'UTC'),
})

type Version = 2 | 3

/** The subtypes of protobuf: as clients accept it, and in its later form that is a valid media type, which the response has. */
const protobufs = (version: Version) =>
  [`com.github.proto-openapi.spec.v${version}@v1.0+protobuf`, `com.github.proto-openapi.spec.v${version}.v1.0+protobuf`] as const

const contentType = (version: Version, form: Form): string => `application/${form === 'json' ? form : protobufs(version)[1]}`

/** Returns the available encoding that the client prefers, or undefined. */
function acceptedForm(request: Request, version: Version): Form | undefined {
  for (const { type, subtype } of parseAccept(request.headers.get('accept') || '*/*')) {
    if (type !== 'application' && type !== '*') continue
    if (subtype === 'json' || subtype === '*') return 'json'
    if (protobufs(version).some((protobuf) => protobuf === subtype)) return 'protobuf'
  }
  return undefined
}

const noQuality = /;\s*q=0(?:\.0*)?\s*$/

function acceptsGzip(request: Request): boolean {
  const codings = (request.headers.get('accept-encoding') ?? '').toLowerCase().split(',')
  return codings.some((coding) => coding.split(';', 1)[0]?.trim() === 'gzip' && !noQuality.test(coding))
}

type Headers = Readonly<Record<string, string>>

const firstServed = new WeakMap<object, number>()

/** Returns the time at which the documents last changed, as far as this isolate knows: the time of their first request. */
function modifiedAt(documents: object): number {
  const at = firstServed.get(documents) ?? Date.now()
  firstServed.set(documents, at)
  return at
}

async function serveWhole(request: Request, document: WholeDocument): Promise<Response> {
  const headers = { ...noCache, Vary: 'Accept-Encoding, Accept' }
  const form = acceptedForm(request, 2)
  if (form === undefined) return new Response(null, { status: 406, headers })
  return serveContent(request, {
    tag: `"${await document.hash()}"`,
    modified: modifiedAt(document),
    headers,
    contentType: contentType(2, form),
    bytes: () => document.bytes(form),
    ...(acceptsGzip(request)
      ? { contentEncoding: 'gzip', whole: () => document.compressed(form) }
      : { whole: () => document.stream(form) }),
  })
}

function redirect(address: string, hash: string, headers: Headers): Response {
  return new Response(null, { status: 301, headers: { ...headers, ETag: `"${hash}"`, Location: address } })
}

/** A document with the object whose first request tells since when it is as it is. */
interface DatedDocument {
  readonly document: Document
  readonly changesWith: object
}

async function servePart(request: Request, name: string, found: DatedDocument | undefined, basePath: string): Promise<Response> {
  if (found === undefined) return new Response(null, { status: 404, headers: noCache })
  const { document, changesWith } = found
  const headers = { ...noCache, Vary: 'Accept' }
  const form = acceptedForm(request, 3)
  if (form === undefined) return new Response(null, { status: 406, headers })
  const hash = await document.hash()
  const hashParameter = new URL(request.url).searchParams.get('hash') ?? ''
  const type = contentType(3, form)
  if (hashParameter !== '' && hashParameter !== hash)
    return redirect(addressOf(basePath, name, hash), hash, { ...headers, 'Content-Type': type })
  const bytes = (): Promise<Uint8Array> => document.bytes(form)
  return serveContent(request, {
    tag: `"${hash}"`,
    modified: modifiedAt(changesWith),
    headers: hashParameter === '' ? headers : { ...headers, ...forever() },
    contentType: type,
    bytes,
    whole: bytes,
  })
}

/** Returns the index with the documents of other servers; if both have one of the same path, that of this server. */
async function mergedIndex(
  documents: OpenApiDocuments,
  services: ApiServices,
  converted: readonly OtherDocument[],
  basePath: string,
): Promise<Uint8Array> {
  const own = await documents.index(basePath)
  const remote = Object.values(services).flatMap(({ openApi = {} }) => Object.entries(openApi))
  if (remote.length + converted.length === 0) return own
  const { paths } = JSON.parse(new TextDecoder().decode(own)) as { readonly paths: Readonly<Record<string, object>> }
  const added = [
    ...remote.map(([path, url]) => [path, { serverRelativeURL: basePath + url }] as const),
    ...converted.map(({ part, tag }) => [part, { serverRelativeURL: addressOf(basePath, part, tag) }] as const),
  ]
  const all = Object.entries({ ...Object.fromEntries(added), ...paths }).sort(([a], [b]) => (a < b ? -1 : 1))
  return new TextEncoder().encode(JSON.stringify({ paths: Object.fromEntries(all) }))
}

/** Serves the index as text/plain, as kube-apiserver does: its aggregator drops the headers when it merges indexes. */
async function serveIndex(request: Request, documents: OpenApiDocuments, sources: OpenApiSources): Promise<Response> {
  const services = (await sources.services?.()) ?? {}
  const converted = await documentsToConvert(services, sources)
  const bytes = (): Promise<Uint8Array> => mergedIndex(documents, services, converted, sources.basePath ?? '')
  const contentType = 'text/plain; charset=utf-8'
  return serveContent(request, { modified: Date.now(), headers: noCache, contentType, bytes, whole: bytes })
}

/** Returns the documents of the servers that have only OpenAPI 2. They are read only if there is such a server. */
async function documentsToConvert(services: ApiServices, { others }: OpenApiSources): Promise<readonly OtherDocument[]> {
  const parts = Object.values(services).flatMap(({ group, version, openApiVersion }) =>
    openApiVersion === 2 ? [`apis/${group}/${version}`] : [],
  )
  if (parts.length === 0) return []
  return ((await others?.()) ?? []).filter(({ part }) => parts.includes(part))
}

/** Returns the document of a path below /openapi/v3/: that of this server, or else the converted one of another. */
async function partOf(documents: OpenApiDocuments, name: string, sources: OpenApiSources): Promise<DatedDocument | undefined> {
  const own = documents.part(name)
  if (own !== undefined) return { document: own, changesWith: documents }
  const converted = await documentsToConvert((await sources.services?.()) ?? {}, sources)
  const found = converted.find(({ part }) => part === name)
  return found && { document: convertedDocument(found), changesWith: found }
}

/** The documents of other resource configs. */
const ofConfigs = new WeakMap<ResourceConfig, OpenApiDocuments>()

function builtInOf(config: ResourceConfig | undefined): OpenApiDocuments {
  if (config === undefined || config.isDefault) return builtIn
  const found =
    ofConfigs.get(config) ?? OpenApiDocuments.ofRelease(servedVersions(config), tablesIn(config.release), hashes, config.release)
  ofConfigs.set(config, found)
  return found
}

interface Merged {
  readonly own: OpenApiDocuments
  readonly documents: OpenApiDocuments
}

const merged = new WeakMap<readonly CustomVersion[], Merged>()

function documentsWith(custom: readonly CustomVersion[], own: OpenApiDocuments): OpenApiDocuments {
  if (custom.length === 0) return own
  const found = merged.get(custom)
  if (found?.own === own) return found.documents
  const documents = own.with(custom)
  merged.set(custom, { own, documents })
  return documents
}

interface Whole {
  readonly documents: OpenApiDocuments
  readonly whole: WholeDocument
}

const wholes = new WeakMap<readonly OtherDocument[], Whole>()

function wholeWith(documents: OpenApiDocuments, others: readonly OtherDocument[]): WholeDocument {
  if (others.length === 0) return documents.whole()
  const found = wholes.get(others)
  if (found?.documents === documents) return found.whole
  const whole = documents.wholeWith(others)
  wholes.set(others, { documents, whole })
  return whole
}

/** The sources of the documents; all are optional. */
export interface OpenApiSources {
  /** The path of the cluster in addresses; '' if absent. */
  readonly basePath?: string
  /** Returns the resources that the cluster serves; those of the newest release if absent. */
  readonly config?: () => ResourceConfig | Promise<ResourceConfig>
  /** Returns the served custom resources: the same list with the same versions as long as they have not changed. */
  readonly custom?: () => Promise<readonly CustomVersion[]>
  /** Returns the APIServices of other servers. */
  readonly services?: () => Promise<ApiServices>
  /** Returns the OpenAPI 2 documents of other servers: the same list as long as they have not changed. */
  readonly others?: () => Promise<readonly OtherDocument[]>
}

/**
 * Returns the response to a path of OpenAPI, or undefined for other paths.
 * @param path the request's path within its cluster
 */
export async function serveOpenApi(request: Request, path: string, sources: OpenApiSources = {}): Promise<Response | undefined> {
  if (!isOpenApi(path)) return undefined
  const documents = documentsWith((await sources.custom?.()) ?? [], builtInOf(await sources.config?.()))
  if (path === '/openapi/v2') return serveWhole(request, wholeWith(documents, (await sources.others?.()) ?? []))
  if (path === '/openapi/v3') return serveIndex(request, documents, sources)
  const name = path.slice('/openapi/v3/'.length)
  return servePart(request, name, await partOf(documents, name, sources), sources.basePath ?? '')
}

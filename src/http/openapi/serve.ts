/**
 * Answers the paths of OpenAPI. They are no routes of resources: every method is answered as GET is, and errors have no body.
 * Follows handler and handler3 of k8s.io/kube-openapi/pkg.
 */
import { served, typeTables } from '../../catalog/generated/served.ts'
import { parseAccept } from '../codec/accept.ts'
import { noCache } from '../codec/headers.ts'
import { addressOf, type Document, type Form2, OpenApiDocuments } from './documents.ts'

const builtIn = new OpenApiDocuments(served, typeTables)

/** The paths of OpenAPI, as the list at / has them. */
export const openApiPaths: readonly string[] = ['/openapi/v2', '/openapi/v3', '/openapi/v3/']

const year = 365 * 24 * 60 * 60 * 1000

/** A document whose address tells its hash never changes. The date is written as kube-apiserver does, with UTC for GMT. */
const forever = () => ({
  'Cache-Control': 'public, immutable',
  Expires: new Date(Date.now() + year).toUTCString().replace('GMT', 'UTC'),
})

/** The binary form as it is asked for, and as it was before its name became a valid media type; the answer has the second. */
const protobufs = ['com.github.proto-openapi.spec.v2@v1.0+protobuf', 'com.github.proto-openapi.spec.v2.v1.0+protobuf']
const contentTypes = { json: 'application/json', protobuf: `application/${protobufs[1]}` } as const

/** The form that the client prefers of those that there are. */
function acceptedForm(request: Request, forms: readonly Form2[]): Form2 | undefined {
  for (const { type, subtype } of parseAccept(request.headers.get('accept') || '*/*')) {
    if (type !== 'application' && type !== '*') continue
    if (subtype === 'json' || subtype === '*') return 'json'
    if (protobufs.includes(subtype) && forms.includes('protobuf')) return 'protobuf'
  }
  return undefined
}

const noQuality = /;\s*q=0(?:\.0*)?\s*$/

function acceptsGzip(request: Request): boolean {
  const codings = (request.headers.get('accept-encoding') ?? '').toLowerCase().split(',')
  return codings.some((coding) => coding.split(';', 1)[0]?.trim() === 'gzip' && !noQuality.test(coding))
}

/** Whether the client has the document already. A proxy that compresses makes tags weak. */
function isKnown(request: Request, tag: string): boolean {
  const known = (request.headers.get('if-none-match') ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''))
  return known.includes(tag) || known.includes('*')
}

type Headers = Readonly<Record<string, string>>

/** `ofBody` are the headers that go out with the document only. */
function answer(request: Request, { bytes, hash }: Document, headers: Headers, ofBody: Headers): Response {
  const tag = `"${hash}"`
  const tagged = { ...headers, ETag: tag }
  if (isKnown(request, tag)) return new Response(null, { status: 304, headers: tagged })
  return new Response(bytes, { headers: { ...tagged, ...ofBody }, encodeBody: 'manual' })
}

async function serveWhole(request: Request, documents: OpenApiDocuments): Promise<Response> {
  const headers = { ...noCache, Vary: 'Accept-Encoding, Accept' }
  const form = acceptedForm(request, ['json', 'protobuf'])
  if (form === undefined) return new Response(null, { status: 406, headers })
  const type = { 'Content-Type': contentTypes[form] }
  if (!acceptsGzip(request)) return answer(request, await documents.whole(form), headers, type)
  return answer(request, await documents.compressed(form), headers, { ...type, 'Content-Encoding': 'gzip' })
}

async function servePart(request: Request, name: string, documents: OpenApiDocuments): Promise<Response> {
  const document = await documents.part(name)
  if (document === undefined) return new Response(null, { status: 404, headers: noCache })
  const headers = { ...noCache, Vary: 'Accept' }
  if (acceptedForm(request, ['json']) === undefined) return new Response(null, { status: 406, headers })
  const asked = new URL(request.url).searchParams.get('hash') ?? ''
  const type = { 'Content-Type': contentTypes.json }
  if (asked === '') return answer(request, document, headers, type)
  if (asked === document.hash) return answer(request, document, { ...headers, ...forever() }, type)
  const Location = addressOf(name, document.hash)
  return new Response(null, { status: 301, headers: { ...headers, ETag: `"${document.hash}"`, Location } })
}

/** kube-apiserver tells no more than text of the index: what merges it with other servers' drops the headers. */
async function serveIndex(documents: OpenApiDocuments): Promise<Response> {
  const { bytes } = await documents.index()
  return new Response(bytes, { headers: { ...noCache, 'Content-Type': 'text/plain; charset=utf-8' } })
}

/** The answer to a path of OpenAPI, undefined where the path is none. `path` is the request's path in its cluster. */
export async function serveOpenApi(
  request: Request,
  path: string,
  documents: OpenApiDocuments = builtIn,
): Promise<Response | undefined> {
  if (path === '/openapi/v2') return serveWhole(request, documents)
  if (path === '/openapi/v3') return serveIndex(documents)
  if (path.startsWith('/openapi/v3/')) return servePart(request, path.slice('/openapi/v3/'.length), documents)
  return undefined
}

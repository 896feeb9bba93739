/**
 * Negotiates the representation of a response: the Accept header against the media types that the endpoint offers.
 * Follows k8s.io/apiserver/pkg/endpoints/handlers/negotiation.
 */

import type { Kind } from '../../catalog/kind.ts'
import { messageOfKind } from '../../catalog/protobuf-messages.ts'
import { type MetaVersion, type ProtobufMediaType, protobufMediaType } from '../../clusters/operation.ts'
import { isEnabled } from '../../config/feature-gates.ts'
import { isGoTrue } from '../../go/text.ts'
import { ApiError } from '../../meta/errors.ts'
import type { AcceptClause } from './accept.ts'
import { parseAccept } from './accept.ts'
import { type ContentEncoding, negotiateEncoding } from './content-encoding.ts'

/** CBOR (RFC 8949), behind the feature gate CBORServingAndStorage. */
export const cborMediaType = 'application/cbor'

/** The media type of a watch in CBOR: a CBOR sequence (RFC 8742). */
export const cborSequence = 'application/cbor-seq'

/** The media types of responses. */
export type MediaType = 'application/json' | 'application/yaml' | ProtobufMediaType | typeof cborMediaType

/** The media types that error messages of discovery list, in the order in which kube-apiserver tries them. */
export const documentMediaTypes = ['application/json', 'application/yaml', protobufMediaType] as const
const allMediaTypes = [...documentMediaTypes, cborMediaType] as const

/** Returns the media types that error messages of object endpoints list. */
export const objectMediaTypes = (): readonly MediaType[] =>
  isEnabled('CBORServingAndStorage') ? allMediaTypes : documentMediaTypes

/** The media types of a watch over a WebSocket. */
export const textStreamTypes = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'] as const
const allStreamTypes = [...textStreamTypes, cborSequence] as const

/** Returns the media types that error messages of a watch list. */
export const objectStreamTypes = (): readonly string[] => (isEnabled('CBORServingAndStorage') ? allStreamTypes : textStreamTypes)

const written: readonly {
  readonly type: string
  readonly subtype: string
  readonly mediaType: MediaType
  readonly streams: boolean
}[] = [
  { type: 'application', subtype: 'json', mediaType: 'application/json', streams: true },
  { type: 'application', subtype: 'yaml', mediaType: 'application/yaml', streams: false },
  { type: 'application', subtype: 'vnd.kubernetes.protobuf', mediaType: protobufMediaType, streams: true },
  { type: 'application', subtype: 'cbor', mediaType: cborMediaType, streams: true },
]

const isServed = (mediaType: MediaType): boolean => mediaType !== cborMediaType || isEnabled('CBORServingAndStorage')

/** The transform of a response, by the parameters `as`, `g` and `v` of the Accept header. */
export type Transform =
  | { readonly as: (typeof objectForms)[number]; readonly version: MetaVersion }
  | { readonly as: 'APIGroupDiscoveryList'; readonly version: 'v2' }

/** The parameters `as`, `g` and `v` of the Accept header, not validated. */
export interface TransformTarget {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/**
 * Decides about one entry of the Accept header. Returns the transform, 'none' if the response is not transformed, or undefined if
 * the endpoint does not offer this transform in this media type; then the next entry is tried. `target` is undefined if the entry
 * has no transform parameters.
 */
export type TransformRule = (target: TransformTarget | undefined, mediaType: MediaType) => Transform | 'none' | undefined

/** The negotiated representation of a response. */
export interface OutputMediaType {
  readonly mediaType: MediaType
  readonly pretty: boolean
  readonly transform?: Transform
  /** The compression of a large response; undefined for none. */
  readonly encoding?: ContentEncoding | undefined
}

/** The transform rule of endpoints without transforms, and of Status. */
export const noTransform: TransformRule = (target) => (target === undefined ? 'none' : undefined)

/** The transform rule of the discovery of one group, which is not offered in CBOR. */
export const documentRule: TransformRule = (target, mediaType) =>
  target === undefined && mediaType !== cborMediaType ? 'none' : undefined

/** The transform rule of aggregated discovery, which exists only with its transform. */
export const aggregatedDiscovery: TransformRule = (target, mediaType) =>
  mediaType !== cborMediaType &&
  target?.group === 'apidiscovery.k8s.io' &&
  target.version === 'v2' &&
  target.kind === 'APIGroupDiscoveryList'
    ? { as: 'APIGroupDiscoveryList', version: 'v2' }
    : undefined

const objectForms = ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'] as const
const metaVersions: readonly MetaVersion[] = ['v1', 'v1beta1']

const objectTransform: TransformRule = (target, mediaType) => {
  if (target === undefined) return 'none'
  const as = objectForms.find((form) => form === target.kind)
  const version = metaVersions.find((known) => known === target.version)
  if (as === undefined || version === undefined || target.group !== 'meta.k8s.io') return undefined
  // Cells of a Table are arbitrary JSON, for which protobuf has no message. Tables are not written in CBOR either.
  const isBinary = mediaType === protobufMediaType || mediaType === cborMediaType
  return as === 'Table' && isBinary ? undefined : { as, version }
}

const customObjectTransform: TransformRule = (target, mediaType) =>
  target === undefined && mediaType === protobufMediaType ? undefined : objectTransform(target, mediaType)

/** The transform rule of endpoints that return objects but no Tables, such as reviews. */
export const metadataTransform: TransformRule = (target, mediaType) =>
  target?.kind === 'Table' ? undefined : objectTransform(target, mediaType)

/** Subresources for which kube-apiserver has no printer: of all resources, or of one. */
const withoutTables: ReadonlySet<string> = new Set([
  ...['approval', 'ephemeralcontainers', 'finalize', 'resize'],
  'apiservices.apiregistration.k8s.io/status',
  'customresourcedefinitions.apiextensions.k8s.io/status',
  'resourceclaims.resource.k8s.io/status',
])

/**
 * Returns the transform rule of endpoints that return objects, lists or watch events of a kind. The rule accepts the transforms
 * of one object and of a list alike; the wrong one of the two is refused when the response is rendered. A custom resource has
 * no protobuf message, so protobuf is offered only as PartialObjectMetadata.
 * @param subresource of the request; '' for the object itself
 */
export function objectTransformOf(kind: Kind, subresource: string): TransformRule {
  if (messageOfKind(kind) === undefined) return customObjectTransform
  const hasNone = withoutTables.has(subresource) || withoutTables.has(`${kind.storage.prefix}/${subresource}`)
  return hasNone ? metadataTransform : objectTransform
}

function targetOf(parameters: ReadonlyMap<string, string>): TransformTarget | undefined {
  const [group, version, kind] = ['g', 'v', 'as'].map((name) => parameters.get(name))
  if (group === undefined && version === undefined && kind === undefined) return undefined
  return { group: group ?? '', version: version ?? '', kind: kind ?? '' }
}

function matches(clause: AcceptClause, type: string, subtype: string): boolean {
  if (clause.type === '*') return clause.subtype === '*'
  return clause.type === type && (clause.subtype === subtype || clause.subtype === '*')
}

interface Negotiated extends OutputMediaType {
  readonly streams: boolean
}

function tryClause(clause: AcceptClause, rule: TransformRule): Negotiated | undefined {
  const { parameters } = clause
  for (const { type, subtype, mediaType, streams } of written) {
    if (!matches(clause, type, subtype) || !isServed(mediaType)) continue
    const stream = parameters.get('stream')
    if (stream !== undefined && !(streams && stream === 'watch')) continue
    if (parameters.has('sv')) continue
    const transform = rule(targetOf(parameters), mediaType)
    if (transform === undefined) continue
    const pretty = parameters.get('pretty') === '1'
    return { mediaType, streams, pretty, ...(transform !== 'none' && { transform }) }
  }
  return undefined
}

function negotiate(request: Request, rule: TransformRule): Negotiated | undefined {
  const accept = request.headers.get('accept') ?? ''
  const pretty = isPrettyPrint(request)
  if (accept === '') return { mediaType: 'application/json', streams: true, pretty }
  const found = firstClause(accept, rule)
  return found === undefined || !pretty || found.pretty ? found : { ...found, pretty }
}

/** Results of earlier Accept headers: clients send few different ones, and repeat them with every request. */
const remembered = new WeakMap<TransformRule, Map<string, Negotiated | undefined>>()
const mostRemembered = 200

function firstClause(accept: string, rule: TransformRule): Negotiated | undefined {
  let known = remembered.get(rule)
  if (known === undefined) {
    known = new Map()
    remembered.set(rule, known)
  }
  if (known.has(accept)) return known.get(accept)
  const found = parseAccept(accept)
    .map((clause) => tryClause(clause, rule))
    .find((clause) => clause !== undefined)
  if (known.size < mostRemembered) known.set(accept, found)
  return found
}

/** Prefixes of the User-Agent of interactive tools, which get indented JSON by default. */
const humanAgents: readonly string[] = ['curl', 'Wget', 'Mozilla/5.0']

/** Whether JSON is indented: by `?pretty=`, or without it for the User-Agents of interactive tools. */
export function isPrettyPrint(request: Request): boolean {
  // Every request comes here: the URL is parsed only if it may contain the parameter.
  const parameter = request.url.includes('pretty') ? new URL(request.url).searchParams.get('pretty') : null
  if (parameter !== null && parameter !== '') return isGoTrue(parameter)
  const agent = request.headers.get('user-agent') ?? ''
  return humanAgents.some((prefix) => agent.startsWith(prefix))
}

/** Returns the 406 NotAcceptable for a request that accepts none of these media types. */
export function notAcceptable(accepted: readonly string[]): ApiError {
  return new ApiError(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`)
}

function outputOf(request: Request, { mediaType, pretty, transform }: OutputMediaType): OutputMediaType {
  return {
    mediaType,
    pretty,
    ...(transform !== undefined && { transform }),
    // Only large responses are compressed, and reading the properties that Cloudflare adds to the request takes its time.
    get encoding() {
      return negotiateEncoding(request, mediaType)
    },
  }
}

/**
 * Negotiates the representation of a response.
 * @param rule the transforms that the endpoint offers
 * @throws ApiError 406 NotAcceptable if the endpoint offers none of the Accept header's entries
 * @example
 * const request = new Request(url, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } })
 * const output = negotiateOutput(request, objectTransformOf(kind, ''))
 * // { mediaType: 'application/json', pretty: false, transform: { as: 'Table', version: 'v1' } }
 */
export function negotiateOutput(request: Request, rule: TransformRule): OutputMediaType {
  const found = negotiate(request, rule)
  if (found === undefined) throw notAcceptable(rule === documentRule ? documentMediaTypes : objectMediaTypes())
  return outputOf(request, found)
}

/** The negotiated representation of a watch's events. */
export interface StreamMediaType extends OutputMediaType {
  /** The 406 for a representation that cannot be streamed. It follows the errors of the watch itself. */
  readonly refusal?: ApiError
}

/**
 * Negotiates the representation of a watch's events. YAML, which cannot be streamed, is JSON with a refusal.
 * @throws ApiError 406 NotAcceptable
 */
export function negotiateStream(request: Request, rule: TransformRule): StreamMediaType {
  const found = negotiate(request, rule)
  if (found === undefined) throw notAcceptable(objectMediaTypes())
  const { mediaType, pretty, transform } = found
  if (!found.streams) return { mediaType: 'application/json', pretty: false, refusal: notAcceptable(objectStreamTypes()) }
  return { mediaType, pretty, ...(transform !== undefined && { transform }) }
}

/**
 * Returns the representation if the request asks for a transform of this rule, else undefined. For endpoints that serve another
 * document with a transform. Never throws.
 */
export function asksFor(request: Request, rule: TransformRule): OutputMediaType | undefined {
  const found = negotiate(request, rule)
  return found?.transform === undefined ? undefined : outputOf(request, found)
}

/**
 * Negotiates the representation of an error's Status: one that the client accepts, otherwise indented JSON. Never throws.
 * @param rule the transform rule of the endpoint
 */
export function negotiateError(request: Request, rule: TransformRule = noTransform): OutputMediaType {
  const found = negotiate(request, rule)
  return outputOf(request, found ?? { mediaType: 'application/json', pretty: true })
}

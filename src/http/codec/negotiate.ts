/**
 * Negotiates the view and the encoding of a response: the Accept header against the media types that the endpoint offers.
 * Follows k8s.io/apiserver/pkg/endpoints/handlers/negotiation.
 */

import type { Kind } from '../../catalog/kind.ts'
import { messageOfKind } from '../../catalog/protobuf-messages.ts'
import { isEnabled } from '../../config/feature-gates.ts'
import type { Encoding } from '../../encoding/encoding.ts'
import { encodings } from '../../encoding/encodings.ts'
import { cborMediaType, cborSequence, type MediaType, protobufMediaType } from '../../encoding/media-type.ts'
import type { MetaVersion, View } from '../../encoding/view.ts'
import { isGoTrue } from '../../go/text.ts'
import { ApiError } from '../../meta/errors.ts'
import type { AcceptClause } from './accept.ts'
import { parseAccept } from './accept.ts'
import { type ContentEncoding, negotiateEncoding } from './content-encoding.ts'

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

/** The encodings, in the order in which kube-apiserver tries them. */
const offered: readonly Encoding[] = [encodings.json, encodings.yaml, encodings.protobuf, encodings.cbor]

const isServed = (mediaType: MediaType): boolean => mediaType !== cborMediaType || isEnabled('CBORServingAndStorage')

/** The view of a response, by the parameters `as`, `g` and `v` of the Accept header. */
type NegotiatedView =
  | { readonly as: View['as']; readonly version: MetaVersion }
  | { readonly as: 'APIGroupDiscoveryList'; readonly version: 'v2' }

/** The parameters `as`, `g` and `v` of the Accept header, not validated. */
export interface ViewParameters {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/**
 * Decides about one entry of the Accept header. Returns the view, 'plain' if the object itself is shown, or undefined if the endpoint
 * does not offer this view in this media type; then the next entry is tried. `target` is undefined if the entry asks for no view.
 */
export type ViewRule = (target: ViewParameters | undefined, mediaType: MediaType) => NegotiatedView | 'plain' | undefined

/** The negotiated form of a response: what is shown, and how it is written. */
export interface Output {
  /** Absent for the object itself. */
  readonly view?: NegotiatedView
  readonly encoding: Encoding
  /** The compression of a large response; undefined for none. */
  readonly compression?: ContentEncoding | undefined
}

/** The rule of endpoints without views, and of Status. */
export const noView: ViewRule = (target) => (target === undefined ? 'plain' : undefined)

/** The rule of the discovery of one group, which is not offered in CBOR. */
export const documentRule: ViewRule = (target, mediaType) =>
  target === undefined && mediaType !== cborMediaType ? 'plain' : undefined

/** The rule of aggregated discovery, which exists only as its own view. */
export const aggregatedDiscovery: ViewRule = (target, mediaType) =>
  mediaType !== cborMediaType &&
  target?.group === 'apidiscovery.k8s.io' &&
  target.version === 'v2' &&
  target.kind === 'APIGroupDiscoveryList'
    ? { as: 'APIGroupDiscoveryList', version: 'v2' }
    : undefined

const objectViewNames = ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'] as const
const metaVersions: readonly MetaVersion[] = ['v1', 'v1beta1']

const objectViews: ViewRule = (target, mediaType) => {
  if (target === undefined) return 'plain'
  const as = objectViewNames.find((name) => name === target.kind)
  const version = metaVersions.find((known) => known === target.version)
  if (as === undefined || version === undefined || target.group !== 'meta.k8s.io') return undefined
  // Cells of a Table are arbitrary JSON, for which protobuf has no message. Tables are not written in CBOR either.
  const isBinary = mediaType === protobufMediaType || mediaType === cborMediaType
  return as === 'Table' && isBinary ? undefined : { as, version }
}

const customObjectViews: ViewRule = (target, mediaType) =>
  target === undefined && mediaType === protobufMediaType ? undefined : objectViews(target, mediaType)

/** The rule of endpoints that return objects but no Tables, such as reviews. */
export const metadataViews: ViewRule = (target, mediaType) =>
  target?.kind === 'Table' ? undefined : objectViews(target, mediaType)

/** Subresources for which kube-apiserver has no printer: of all resources, or of one. */
const withoutTables: ReadonlySet<string> = new Set([
  ...['approval', 'ephemeralcontainers', 'finalize', 'resize'],
  'apiservices.apiregistration.k8s.io/status',
  'customresourcedefinitions.apiextensions.k8s.io/status',
  'resourceclaims.resource.k8s.io/status',
])

/**
 * Returns the rule of endpoints that return objects, lists or watch events of a kind. The rule accepts the metadata
 * of one object and of a list alike; the wrong one of the two is refused when the response is rendered. A custom resource has
 * no protobuf message, so protobuf is offered only as PartialObjectMetadata.
 * @param subresource of the request; '' for the object itself
 */
export function viewRuleOf(kind: Kind, subresource: string): ViewRule {
  if (messageOfKind(kind) === undefined) return customObjectViews
  const hasNone = withoutTables.has(subresource) || withoutTables.has(`${kind.storage.prefix}/${subresource}`)
  return hasNone ? metadataViews : objectViews
}

function viewParametersOf(parameters: ReadonlyMap<string, string>): ViewParameters | undefined {
  const [group, version, kind] = ['g', 'v', 'as'].map((name) => parameters.get(name))
  if (group === undefined && version === undefined && kind === undefined) return undefined
  return { group: group ?? '', version: version ?? '', kind: kind ?? '' }
}

function matches(clause: AcceptClause, type: string, subtype: string): boolean {
  if (clause.type === '*') return clause.subtype === '*'
  return clause.type === type && (clause.subtype === subtype || clause.subtype === '*')
}

/** The part of an output that follows from the Accept header alone. */
type Negotiated = Pick<Output, 'view' | 'encoding'>

function tryClause(clause: AcceptClause, rule: ViewRule): Negotiated | undefined {
  const { parameters } = clause
  for (const encoding of offered) {
    const { mediaType } = encoding
    const [type = '', subtype = ''] = mediaType.split('/')
    if (!matches(clause, type, subtype) || !isServed(mediaType)) continue
    const stream = parameters.get('stream')
    if (stream !== undefined && !(encoding.stream !== undefined && stream === 'watch')) continue
    if (parameters.has('sv')) continue
    const view = rule(viewParametersOf(parameters), mediaType)
    if (view === undefined) continue
    const pretty = parameters.get('pretty') === '1'
    return { encoding: pretty ? indented(encoding) : encoding, ...(view !== 'plain' && { view }) }
  }
  return undefined
}

/** Returns the encoding with indentation, which only JSON has. */
const indented = (encoding: Encoding): Encoding => (encoding === encodings.json ? encodings.indentedJson : encoding)

function negotiate(request: Request, rule: ViewRule): Negotiated | undefined {
  const accept = request.headers.get('accept') ?? ''
  const accepted = accept === '' ? { encoding: encodings.json } : firstClause(accept, rule)
  if (accepted === undefined || !isPrettyPrint(request)) return accepted
  const encoding = indented(accepted.encoding)
  return encoding === accepted.encoding ? accepted : { ...accepted, encoding }
}

/** Results of earlier Accept headers: clients send few different ones, and repeat them with every request. */
const remembered = new WeakMap<ViewRule, Map<string, Negotiated | undefined>>()
const mostRemembered = 200

function firstClause(accept: string, rule: ViewRule): Negotiated | undefined {
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

function outputOf(request: Request, { encoding, view }: Negotiated): Output {
  return {
    encoding,
    ...(view !== undefined && { view }),
    // Only large responses are compressed, and reading the properties that Cloudflare adds to the request takes its time.
    get compression() {
      return negotiateEncoding(request, encoding.mediaType)
    },
  }
}

/**
 * Negotiates the view and the encoding of a response.
 * @param rule the views that the endpoint offers
 * @throws ApiError 406 NotAcceptable if the endpoint offers none of the Accept header's entries
 * @example
 * const request = new Request(url, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } })
 * const output = negotiateOutput(request, viewRuleOf(kind, ''))
 * // { encoding: encodings.json, view: { as: 'Table', version: 'v1' } }
 */
export function negotiateOutput(request: Request, rule: ViewRule): Output {
  const found = negotiate(request, rule)
  if (found === undefined) throw notAcceptable(rule === documentRule ? documentMediaTypes : objectMediaTypes())
  return outputOf(request, found)
}

/** The negotiated form of a watch's events. */
export interface StreamOutput extends Output {
  /** The 406 for an encoding that cannot be streamed. It follows the errors of the watch itself. */
  readonly refusal?: ApiError
}

/**
 * Negotiates the view and the encoding of a watch's events. YAML, which cannot be streamed, is JSON with a refusal.
 * @throws ApiError 406 NotAcceptable
 */
export function negotiateStream(request: Request, rule: ViewRule): StreamOutput {
  const found = negotiate(request, rule)
  if (found === undefined) throw notAcceptable(objectMediaTypes())
  if (found.encoding.stream === undefined) return { encoding: encodings.json, refusal: notAcceptable(objectStreamTypes()) }
  return found
}

/**
 * Returns the output if the request asks for a view of this rule, else undefined. For endpoints that serve another document as a
 * view. Never throws.
 */
export function asksFor(request: Request, rule: ViewRule): Output | undefined {
  const found = negotiate(request, rule)
  return found?.view === undefined ? undefined : outputOf(request, found)
}

/**
 * Negotiates the encoding of an error's Status: one that the client accepts, otherwise indented JSON. Never throws.
 * @param rule the rule of the endpoint
 */
export function negotiateError(request: Request, rule: ViewRule = noView): Output {
  const found = negotiate(request, rule)
  return outputOf(request, found ?? { encoding: encodings.indentedJson })
}

/**
 * Which representation a client gets: its Accept header against what the endpoint offers.
 * Follows k8s.io/apiserver/pkg/endpoints/handlers/negotiation.
 */

import type { Kind } from '../../catalog/kind.ts'
import { messageOfKind } from '../../catalog/protobuf-messages.ts'
import { type MetaVersion, type ProtobufMediaType, protobufMediaType } from '../../clusters/operation.ts'
import { isGoTrue } from '../../go/text.ts'
import { ApiError } from '../../meta/errors.ts'
import { isEnabled } from '../../meta/feature-gates.ts'
import type { AcceptClause } from './accept.ts'
import { parseAccept } from './accept.ts'
import { type ContentEncoding, negotiateEncoding } from './content-encoding.ts'

/** CBOR (RFC 8949), behind the feature gate CBORServingAndStorage. */
export const cborMediaType = 'application/cbor'

/** A sequence of it (RFC 8742): a watch. */
export const cborSequence = 'application/cbor-seq'

/** A representation that can be written. */
export type MediaType = 'application/json' | 'application/yaml' | ProtobufMediaType | typeof cborMediaType

/** What the messages of discovery name: kube-apiserver's representations, in the order in which it tries them. */
export const documentMediaTypes = ['application/json', 'application/yaml', protobufMediaType] as const
const allMediaTypes = [...documentMediaTypes, cborMediaType] as const

/** What the messages about objects name. */
export const objectMediaTypes = (): readonly MediaType[] =>
  isEnabled('CBORServingAndStorage') ? allMediaTypes : documentMediaTypes

/** What a WebSocket may carry. */
export const textStreamTypes = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'] as const
const allStreamTypes = [...textStreamTypes, cborSequence] as const

/** What the messages of a watch name. */
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

/** The form into which the answer is transformed, of the parameters `as`, `g` and `v`. */
export type Transform =
  | { readonly as: (typeof objectForms)[number]; readonly version: MetaVersion }
  | { readonly as: 'APIGroupDiscoveryList'; readonly version: 'v2' }

/** What the client asks for in `as`, `g` and `v`, unchecked. */
export interface TransformTarget {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/**
 * Decides about one entry of the Accept header: the transform that it means, 'none' where the answer stays as it is, undefined
 * where the endpoint cannot give it in this media type and the next entry has its turn. `target` is undefined where none is
 * asked for.
 */
export type TransformRule = (target: TransformTarget | undefined, mediaType: MediaType) => Transform | 'none' | undefined

/** How to write an answer. */
export interface OutputMediaType {
  readonly mediaType: MediaType
  readonly pretty: boolean
  readonly transform?: Transform
  /** How the client takes a long answer. */
  readonly encoding?: ContentEncoding
}

/** The rule of endpoints without transforms: Status, reviews. */
export const noTransform: TransformRule = (target) => (target === undefined ? 'none' : undefined)

/** The rule of discovery of one group, which has no CBOR. */
export const documentRule: TransformRule = (target, mediaType) =>
  target === undefined && mediaType !== cborMediaType ? 'none' : undefined

/** The rule of aggregated discovery, which is nothing without its transform. */
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
  // Cells are any JSON, which has no message; and no Table is written in CBOR.
  const isBinary = mediaType === protobufMediaType || mediaType === cborMediaType
  return as === 'Table' && isBinary ? undefined : { as, version }
}

const customObjectTransform: TransformRule = (target, mediaType) =>
  target === undefined && mediaType === protobufMediaType ? undefined : objectTransform(target, mediaType)

/**
 * The rule of everything that answers objects of a kind, lists or events. Whether the answer is one object or a list is not
 * looked at here: the wrong form of the two is refused when there is something to show. Of custom resources protobuf has the
 * metadata alone.
 */
export function objectTransformOf(kind: Kind): TransformRule {
  return messageOfKind(kind) === undefined ? customObjectTransform : objectTransform
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

/** Answers to Accept headers that came before: clients send few different ones, and each with every request. */
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

/** User agents of people: indented JSON is for them. */
const humanAgents: readonly string[] = ['curl', 'Wget', 'Mozilla/5.0']

/** Whether the answer is indented: `?pretty=` says so, otherwise the User-Agent of a person's tool does. */
export function isPrettyPrint(request: Request): boolean {
  // A URL is taken apart only where it may hold the parameter: this is asked of every request.
  const asked = request.url.includes('pretty') ? new URL(request.url).searchParams.get('pretty') : null
  if (asked !== null && asked !== '') return isGoTrue(asked)
  const agent = request.headers.get('user-agent') ?? ''
  return humanAgents.some((prefix) => agent.startsWith(prefix))
}

/** The error of a request that accepts none of these media types. */
export function notAcceptable(accepted: readonly string[]): ApiError {
  return new ApiError(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`)
}

function outputOf(request: Request, { mediaType, pretty, transform }: OutputMediaType): OutputMediaType {
  const encoding = negotiateEncoding(request)
  return { mediaType, pretty, ...(transform !== undefined && { transform }), ...(encoding !== undefined && { encoding }) }
}

/** The representation of an answer. Throws 406 NotAcceptable where none of the Accept header's entries can be given. */
export function negotiateOutput(request: Request, rule: TransformRule): OutputMediaType {
  const found = negotiate(request, rule)
  if (found === undefined) throw notAcceptable(rule === documentRule ? documentMediaTypes : objectMediaTypes())
  return outputOf(request, found)
}

/** The representation of a watch's events. Throws 406 NotAcceptable also for YAML, in which there are no streams. */
export function negotiateStream(request: Request, rule: TransformRule): OutputMediaType {
  const found = negotiate(request, rule)
  if (found === undefined) throw notAcceptable(objectMediaTypes())
  if (!found.streams) throw notAcceptable(objectStreamTypes())
  const { mediaType, pretty, transform } = found
  return { mediaType, pretty, ...(transform !== undefined && { transform }) }
}

/** Whether the client asks for this transform and the rule gives it: for endpoints that answer differently then. Never throws. */
export function asksFor(request: Request, rule: TransformRule): OutputMediaType | undefined {
  const found = negotiate(request, rule)
  return found?.transform === undefined ? undefined : outputOf(request, found)
}

/**
 * The representation of a Status that tells of an error: what the client accepts, otherwise indented JSON. Never throws.
 * @param rule of what was asked for
 */
export function negotiateError(request: Request, rule: TransformRule = noTransform): OutputMediaType {
  const found = negotiate(request, rule)
  return outputOf(request, found ?? { mediaType: 'application/json', pretty: true })
}

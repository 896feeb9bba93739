/**
 * Which representation a client gets: its Accept header against what the endpoint offers.
 * Follows k8s.io/apiserver/pkg/endpoints/handlers/negotiation.
 */
import type { MetaVersion } from '../../clusters/operation.ts'
import { ApiError } from '../../meta/errors.ts'
import { isGoTrue } from '../../meta/go-text.ts'
import type { AcceptClause } from './accept.ts'
import { parseAccept } from './accept.ts'
import { type ContentEncoding, negotiateEncoding } from './content-encoding.ts'

/** A representation that can be written. */
export type MediaType = 'application/json' | 'application/yaml'

/** What the messages name: kube-apiserver's representations, in the order in which it tries them. */
export const namedMediaTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'] as const

/** What the messages of a watch name. */
export const namedStreamTypes = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'] as const

const written: readonly {
  readonly type: string
  readonly subtype: string
  readonly mediaType: MediaType
  readonly streams: boolean
}[] = [
  { type: 'application', subtype: 'json', mediaType: 'application/json', streams: true },
  { type: 'application', subtype: 'yaml', mediaType: 'application/yaml', streams: false },
]

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
 * where the endpoint cannot give it and the next entry has its turn. `target` is undefined where none is asked for.
 */
export type TransformRule = (target: TransformTarget | undefined) => Transform | 'none' | undefined

/** How to write an answer. */
export interface OutputMediaType {
  readonly mediaType: MediaType
  readonly pretty: boolean
  readonly transform?: Transform
  /** How the client takes a long answer. */
  readonly encoding?: ContentEncoding
}

/** The rule of endpoints without transforms: discovery of one group, Status. */
export const noTransform: TransformRule = (target) => (target === undefined ? 'none' : undefined)

/** The rule of aggregated discovery, which is nothing without its transform. */
export const aggregatedDiscovery: TransformRule = (target) =>
  target?.group === 'apidiscovery.k8s.io' && target.version === 'v2' && target.kind === 'APIGroupDiscoveryList'
    ? { as: 'APIGroupDiscoveryList', version: 'v2' }
    : undefined

const objectForms = ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'] as const
const metaVersions: readonly MetaVersion[] = ['v1', 'v1beta1']

/**
 * The rule of everything that answers objects, lists or events. Whether the answer is one object or a list is not looked at
 * here: the wrong form of the two is refused when there is something to show.
 */
export const objectTransform: TransformRule = (target) => {
  if (target === undefined) return 'none'
  const as = objectForms.find((form) => form === target.kind)
  const version = metaVersions.find((known) => known === target.version)
  return as === undefined || version === undefined || target.group !== 'meta.k8s.io' ? undefined : { as, version }
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
    if (!matches(clause, type, subtype)) continue
    const stream = parameters.get('stream')
    if (stream !== undefined && !(streams && stream === 'watch')) continue
    if (parameters.has('sv')) continue
    const transform = rule(targetOf(parameters))
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

function notAcceptable(accepted: readonly string[]): ApiError {
  return new ApiError(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`)
}

function outputOf(request: Request, { mediaType, pretty, transform }: OutputMediaType): OutputMediaType {
  const encoding = negotiateEncoding(request)
  return { mediaType, pretty, ...(transform !== undefined && { transform }), ...(encoding !== undefined && { encoding }) }
}

/** The representation of an answer. Throws 406 NotAcceptable where none of the Accept header's entries can be given. */
export function negotiateOutput(request: Request, rule: TransformRule): OutputMediaType {
  const found = negotiate(request, rule)
  if (found === undefined) throw notAcceptable(namedMediaTypes)
  return outputOf(request, found)
}

/** The representation of a watch's events. Throws 406 NotAcceptable also for YAML, in which there are no streams. */
export function negotiateStream(request: Request, rule: TransformRule): OutputMediaType {
  const found = negotiate(request, rule)
  if (found === undefined) throw notAcceptable(namedMediaTypes)
  if (!found.streams) throw notAcceptable(namedStreamTypes)
  const { mediaType, pretty, transform } = found
  return { mediaType, pretty, ...(transform !== undefined && { transform }) }
}

/** Whether the client asks for this transform and the rule gives it: for endpoints that answer differently then. Never throws. */
export function asksFor(request: Request, rule: TransformRule): OutputMediaType | undefined {
  const found = negotiate(request, rule)
  return found?.transform === undefined ? undefined : outputOf(request, found)
}

/** The representation of a Status that tells of an error: what the client accepts, otherwise indented JSON. Never throws. */
export function negotiateError(request: Request): OutputMediaType {
  const found = negotiate(request, noTransform)
  return outputOf(request, found ?? { mediaType: 'application/json', pretty: true })
}

/** The negotiated form of objects, as a part of an operation. */
import { protobufMediaType, type Representation, type ResponseFormat } from '../../clusters/operation.ts'
import { queryText } from '../../meta/query.ts'
import type { OutputMediaType } from '../codec/negotiate.ts'

/** Returns the representation for an operation; empty if objects are returned unchanged. */
export function representationOf(
  { transform }: OutputMediaType,
  query: URLSearchParams,
): { readonly representation?: Representation } {
  if (transform === undefined || transform.as === 'APIGroupDiscoveryList') return {}
  const { as, version } = transform
  return { representation: as === 'Table' ? { as, version, includeObject: queryText(query, 'includeObject') } : { as, version } }
}

/** Tells the collection whether the Worker converts its JSON. */
export function convertedBy({ mediaType, pretty }: OutputMediaType): Pick<ResponseFormat, 'converted'> {
  if (mediaType !== 'application/json') return { converted: 'texts' }
  return pretty ? { converted: 'bytes' } : {}
}

/** Returns the form of lists and watches, which the collection itself writes in protobuf. */
export function shownAs(output: OutputMediaType, query: URLSearchParams): ResponseFormat {
  const { mediaType } = output
  const form = representationOf(output, query)
  if (mediaType === protobufMediaType) return { ...form, mediaType }
  return { ...form, ...convertedBy(output) }
}

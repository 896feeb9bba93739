/** The form of objects that was negotiated, as it travels with an operation. */
import { protobufMediaType, type Representation, type ResponseFormat } from '../../clusters/operation.ts'
import { queryText } from '../../meta/query.ts'
import type { OutputMediaType } from '../codec/negotiate.ts'

/** What an operation needs to know of the answer's form: nothing where objects are answered as they are. */
export function representationOf(
  { transform }: OutputMediaType,
  query: URLSearchParams,
): { readonly representation?: Representation } {
  if (transform === undefined || transform.as === 'APIGroupDiscoveryList') return {}
  const { as, version } = transform
  return { representation: as === 'Table' ? { as, version, includeObject: queryText(query, 'includeObject') } : { as, version } }
}

/** Whether the Worker makes another form of a collection's JSON. */
export function convertedBy({ mediaType, pretty }: OutputMediaType): Pick<ResponseFormat, 'converted'> {
  if (mediaType !== 'application/json') return { converted: 'texts' }
  return pretty ? { converted: 'bytes' } : {}
}

/** The same for lists and watches, which the collection itself writes in protobuf. */
export function shownAs(output: OutputMediaType, query: URLSearchParams): ResponseFormat {
  const { mediaType } = output
  const form = representationOf(output, query)
  if (mediaType === protobufMediaType) return { ...form, mediaType }
  return { ...form, ...convertedBy(output) }
}

/** The negotiated view and encoding, as fields of an operation. */
import type { AnswerFields } from '../../encoding/answer-fields.ts'
import { protobufMediaType } from '../../encoding/media-type.ts'
import { queryText } from '../../meta/query.ts'
import type { Output } from '../codec/negotiate.ts'

/** Returns the view of objects for an operation; empty for the objects themselves. */
export function viewField({ view }: Output, query: URLSearchParams): Pick<AnswerFields, 'representation'> {
  if (view === undefined || view.as === 'APIGroupDiscoveryList') return {}
  const { as, version } = view
  return { representation: as === 'Table' ? { as, version, includeObject: queryText(query, 'includeObject') } : { as, version } }
}

/** Returns the fields of an operation whose answer is a list that the Worker converts, if it is not sent as JSON. */
export function jsonListFields(output: Output, query: URLSearchParams): AnswerFields {
  const { worker } = output.encoding.at
  return { ...viewField(output, query), ...(worker !== undefined && { converted: worker.holds }) }
}

/** Returns the fields of lists and watches, which the collection itself writes in protobuf. */
export function answerFields(output: Output, query: URLSearchParams): AnswerFields {
  const { mediaType } = output.encoding
  return mediaType === protobufMediaType ? { ...viewField(output, query), mediaType } : jsonListFields(output, query)
}

/** The fields by which an operation asks for the view and the encoding of its answer. */
import type { ProtobufMediaType } from './media-type.ts'
import type { View } from './view.ts'

/**
 * The view and the encoding of an answer, as Workers and Durable Objects of all releases name them. Without any field, the answer
 * is JSON of the objects themselves.
 */
export interface AnswerFields {
  /** The view; absent for the objects themselves. */
  readonly representation?: View
  /** The encoding of lists and watches, if it is not JSON. Single objects leave the collection as JSON. */
  readonly mediaType?: ProtobufMediaType
  /** Set if the Worker converts the answer: then the Worker, not the collection, waits for a slow client. */
  readonly converted?: 'bytes' | 'texts'
}

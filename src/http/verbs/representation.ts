/** The form of objects that was negotiated, as it travels with an operation. */
import type { Representation } from '../../clusters/operation.ts'
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

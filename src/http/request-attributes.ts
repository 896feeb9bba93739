/** The attributes of a request that authorization decides by. Follows GetAuthorizerAttributes of apiserver's endpoints/filters. */
import type { Attributes } from '../auth/attributes.ts'
import { parseFieldSelector, requiredFieldValue } from '../meta/field-selector.ts'
import { parseLabelSelector } from '../meta/label-selector.ts'
import { isPathSegmentName } from '../meta/names.ts'
import { queryInteger, queryText } from '../meta/query.ts'
import type { RequestInfo } from './request-info.ts'

/** The only name that a list or watch selects; '' if it selects more, or if its parameters cannot be read. */
function selectedName(query: URLSearchParams): string {
  if (!query.has('fieldSelector')) return ''
  try {
    queryInteger(query, 'limit')
    queryInteger(query, 'timeoutSeconds')
    parseLabelSelector(queryText(query, 'labelSelector'))
    const name = requiredFieldValue(parseFieldSelector(queryText(query, 'fieldSelector')), 'metadata.name') ?? ''
    return isPathSegmentName(name).length === 0 ? name : ''
  } catch {
    // Who may list hears of it when the list is made.
    return ''
  }
}

/** Reads the attributes: who may get one object may also list and watch it alone, so a selected name is an attribute. */
export function attributesOf(info: RequestInfo, query: URLSearchParams): Attributes {
  if (!info.isResource || info.name !== '' || info.verbPrefix !== '') return info
  if (info.verb !== 'list' && info.verb !== 'watch') return info
  const name = selectedName(query)
  return name === '' ? info : { ...info, name }
}

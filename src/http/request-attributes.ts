/** The attributes of a request for authorization. Follows GetAuthorizerAttributes of apiserver's endpoints/filters. */
import type { Attributes } from '../auth/attributes.ts'
import type { SelectorSource } from '../auth/selector-requirements.ts'
import { parseFieldSelector, requiredFieldValue } from '../meta/field-selector.ts'
import { parseLabelSelector } from '../meta/label-selector.ts'
import { isPathSegmentName } from '../meta/names.ts'
import { queryInteger, queryText } from '../meta/query.ts'
import type { RequestInfo } from './request-info.ts'

/** Returns the only name that a list or watch selects; '' if it selects several, or if its parameters are invalid. */
function selectedName(query: URLSearchParams): string {
  if (!query.has('fieldSelector')) return ''
  try {
    queryInteger(query, 'limit')
    queryInteger(query, 'timeoutSeconds')
    parseLabelSelector(queryText(query, 'labelSelector'))
    const name = requiredFieldValue(parseFieldSelector(queryText(query, 'fieldSelector')), 'metadata.name') ?? ''
    return isPathSegmentName(name).length === 0 ? name : ''
  } catch {
    // The handler of the list reports the error, if the user is authorized to list.
    return ''
  }
}

function selectorOf(query: URLSearchParams, parameter: string): SelectorSource | undefined {
  const rawSelector = query.get(parameter) ?? ''
  return rawSelector === '' ? undefined : { rawSelector }
}

/** Returns the attributes. A user who may get an object may also list or watch it alone, so the selected name is an attribute. */
export function attributesOf(info: RequestInfo, query: URLSearchParams): Attributes {
  if (!info.isResource || info.name !== '' || info.verbPrefix !== '') return info
  if (info.verb !== 'list' && info.verb !== 'watch' && info.verb !== 'deletecollection') return info
  const fieldSelector = selectorOf(query, 'fieldSelector')
  const labelSelector = selectorOf(query, 'labelSelector')
  if (fieldSelector === undefined && labelSelector === undefined) return info
  const name = info.verb === 'deletecollection' ? '' : selectedName(query)
  return { ...info, name, fieldSelector, labelSelector }
}

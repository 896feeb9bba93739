/** The parameters of lists and watches: ListOptions of k8s.io/apimachinery/pkg/apis/meta/v1, with kube-apiserver's validation. */
import { badRequest, invalid } from './errors.ts'
import { asJson, type FieldError, forbiddenValue, notSupported } from './field-error.ts'
import { type FieldSelector, parseFieldSelector } from './field-selector.ts'
import { type LabelSelector, parseLabelSelector } from './label-selector.ts'
import { queryBoolean, queryInteger, queryText } from './query.ts'

/** The relation of the response's resourceVersion to the requested one. '' is unset. */
export type ResourceVersionMatch = '' | 'Exact' | 'NotOlderThan'

/** The checked parameters of a list or a watch. '' is an unset text; a limit of 0 or below means no limit. */
export interface ListOptions {
  readonly labelSelector: LabelSelector
  /** The field selector, not yet checked against the kind's field labels: supportedFieldSelector does that. */
  readonly fieldSelector: FieldSelector
  readonly watch: boolean
  readonly allowWatchBookmarks: boolean
  readonly resourceVersion: string
  readonly resourceVersionMatch: ResourceVersionMatch
  readonly timeoutSeconds?: number
  readonly limit: number
  readonly continue: string
  readonly sendInitialEvents?: boolean
}

/** The parameters that ValidateListOptions checks. */
interface Versions {
  readonly watch: boolean
  readonly resourceVersion: string
  readonly match: string
  readonly continue: string
  readonly sendInitialEvents: boolean | undefined
}

const MATCH = 'resourceVersionMatch'
const INITIAL = 'sendInitialEvents'

interface Rule {
  readonly broken: (versions: Versions) => boolean
  readonly error: (versions: Versions) => FieldError
}

const forbids = (field: string, text: string, broken: (versions: Versions) => boolean): Rule => ({
  broken,
  error: () => forbiddenValue(field, text),
})

const NO_CONTINUE = forbids(
  MATCH,
  'resourceVersionMatch is forbidden when continue is provided',
  ({ match, continue: token }) => match !== '' && token !== '',
)

const LIST_RULES: readonly Rule[] = [
  forbids(
    MATCH,
    'resourceVersionMatch is forbidden unless resourceVersion is provided',
    ({ match, resourceVersion }) => match !== '' && resourceVersion === '',
  ),
  NO_CONTINUE,
  {
    broken: ({ match }) => !['', 'Exact', 'NotOlderThan'].includes(match),
    error: ({ match }) => notSupported(MATCH, asJson(match), ['Exact', 'NotOlderThan', '']),
  },
  forbids(
    MATCH,
    'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ({ match, resourceVersion }) => match === 'Exact' && resourceVersion === '0',
  ),
  forbids(INITIAL, 'sendInitialEvents is forbidden for list', ({ sendInitialEvents }) => sendInitialEvents !== undefined),
]

const WATCH_RULES: readonly Rule[] = [
  forbids(
    MATCH,
    'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    ({ match, sendInitialEvents }) => sendInitialEvents !== undefined && match !== 'NotOlderThan',
  ),
  forbids(
    MATCH,
    'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ({ match, sendInitialEvents }) => match !== '' && sendInitialEvents === undefined,
  ),
  {
    broken: ({ match }) => match !== '' && match !== 'NotOlderThan',
    error: ({ match }) => notSupported(MATCH, asJson(match), ['NotOlderThan']),
  },
  NO_CONTINUE,
]

/** Sets `sendInitialEvents` for a watch from the newest or from any version. Follows SetListOptionsDefaults. */
function withDefaults(versions: Versions): Versions {
  const { watch, resourceVersion, match, sendInitialEvents } = versions
  if (!watch || sendInitialEvents !== undefined || match !== '' || (resourceVersion !== '' && resourceVersion !== '0'))
    return versions
  return { ...versions, sendInitialEvents: true, match: 'NotOlderThan' }
}

function badRequestFrom<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : '')
  }
}

/**
 * Parses the parameters of a list or a watch. A watch without a resourceVersion, or with "0", gets `sendInitialEvents`.
 * @throws ApiError 400 if a parameter cannot be parsed, 422 if parameters are invalid together
 */
export function readListOptions(query: URLSearchParams): ListOptions {
  const timeoutSeconds = queryInteger(query, 'timeoutSeconds')
  const limit = queryInteger(query, 'limit') ?? 0
  const labelSelector = badRequestFrom(() => parseLabelSelector(queryText(query, 'labelSelector')))
  const fieldSelector = badRequestFrom(() => parseFieldSelector(queryText(query, 'fieldSelector')))
  const versions = withDefaults({
    watch: queryBoolean(query, 'watch') ?? false,
    resourceVersion: queryText(query, 'resourceVersion'),
    match: queryText(query, MATCH),
    continue: queryText(query, 'continue'),
    sendInitialEvents: queryBoolean(query, INITIAL),
  })
  const { watch, resourceVersion, match, sendInitialEvents } = versions
  const errors = (watch ? WATCH_RULES : LIST_RULES).filter(({ broken }) => broken(versions)).map(({ error }) => error(versions))
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors)
  return {
    labelSelector,
    fieldSelector,
    watch,
    allowWatchBookmarks: queryBoolean(query, 'allowWatchBookmarks') ?? false,
    resourceVersion,
    resourceVersionMatch: match === 'Exact' || match === 'NotOlderThan' ? match : '',
    limit,
    continue: versions.continue,
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(sendInitialEvents !== undefined && { sendInitialEvents }),
  }
}

/** The parameters of pods/log: PodLogOptions of core/v1. */

import { formatTime, parseTime } from '../../../go/time.ts'
import { badRequest, invalid } from '../../../meta/errors.ts'
import { type FieldError, forbiddenValue, invalidValue } from '../../../meta/field-error.ts'
import { queryBoolean, queryInteger, queryText } from '../../../meta/query.ts'

const positive = 'must be greater than 0'

/** Returns a time parameter in Go's format; undefined if it is missing, empty or null. */
function queryTime(query: URLSearchParams, name: string): string | undefined {
  const text = queryText(query, name)
  if (text === '' || text === 'null') return undefined
  try {
    return formatTime(parseTime(text))
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : '')
  }
}

/** The validated parameters of pods/log. */
export interface LogOptions {
  readonly container: string
  /** The query of the kubelet's URL. */
  readonly parameters: URLSearchParams
}

function logErrors(
  query: URLSearchParams,
  numbers: Readonly<Record<'sinceSeconds' | 'tailLines' | 'limitBytes', number | undefined>>,
  sinceTime: string | undefined,
): FieldError[] {
  const { sinceSeconds, tailLines, limitBytes } = numbers
  const errors: FieldError[] = []
  if (tailLines !== undefined && tailLines < 0) {
    errors.push(invalidValue('tailLines', tailLines, 'must be greater than or equal to 0'))
  }
  if (limitBytes !== undefined && limitBytes < 1) errors.push(invalidValue('limitBytes', limitBytes, positive))
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    errors.push(forbiddenValue('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'))
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(invalidValue('sinceSeconds', sinceSeconds, positive))
  }
  if (query.get('stream') !== null) errors.push(forbiddenValue('stream', 'may not be specified'))
  return errors
}

/**
 * Parses and validates the parameters of pods/log.
 * @throws ApiError 400 for a malformed value, 422 for an invalid one
 */
export function readLogOptions(query: URLSearchParams, pod: string): LogOptions {
  const sinceSeconds = queryInteger(query, 'sinceSeconds')
  const sinceTime = queryTime(query, 'sinceTime')
  const tailLines = queryInteger(query, 'tailLines')
  const limitBytes = queryInteger(query, 'limitBytes')
  const errors = logErrors(query, { sinceSeconds, tailLines, limitBytes }, sinceTime)
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, pod, errors)
  const flags = ['follow', 'previous', 'timestamps'].filter((name) => queryBoolean(query, name) === true)
  const values = Object.entries({ sinceSeconds, sinceTime, tailLines, limitBytes }).filter(([, value]) => value !== undefined)
  const parameters = new URLSearchParams([
    ...flags.map((name) => [name, 'true']),
    ...values.map(([name, value]) => [name, String(value)]),
  ])
  parameters.sort()
  return { container: queryText(query, 'container'), parameters }
}

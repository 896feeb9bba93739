/** WithPast: requests for a cluster as it was at a time. */
import { parseDuration } from '../../go/duration.ts'
import { parseTime } from '../../go/time.ts'
import { ApiError, badRequest } from '../../meta/errors.ts'
import { administrationPrefix } from '../administration/prefix.ts'
import type { RequestInfo } from '../request-info.ts'
import type { Filter } from './filter.ts'

/** The verbs and subresources with a past. */
const verbs: ReadonlySet<string> = new Set(['get', 'list'])
const subresources: ReadonlySet<string> = new Set(['', 'status', 'scale'])

/** 405 MethodNotAllowed: the request is not for stored objects, or would change them. */
export const onlyRead = (): ApiError =>
  new ApiError(405, 'MethodNotAllowed', 'the past of a cluster can only be read, by get and list', {})

/** Whether a request can be answered for the past. Documents such as those of discovery are the present ones. */
function isReadable(info: RequestInfo): boolean {
  if (info.isResource) return verbs.has(info.verb) && subresources.has(info.subresource) && info.verbPrefix === ''
  return (info.verb === 'get' || info.verb === 'head') && !info.path.startsWith(`${administrationPrefix}/`)
}

/**
 * Reads the time in a path: RFC 3339, or a negative duration before the present.
 * @returns milliseconds since the epoch
 * @throws ApiError 400 if it is neither
 */
export function readTime(text: string, now: number): number {
  try {
    const decoded = decodeURIComponent(text)
    if (decoded.startsWith('-')) return Math.floor(now + Number(parseDuration(decoded) / 1_000_000n))
    const { seconds, nanoseconds } = parseTime(decoded)
    return seconds * 1000 + Math.floor(nanoseconds / 1e6)
  } catch {
    throw badRequest('the time in the path must be of the form 2006-01-02T15:04:05Z, or a duration before now such as -5m')
  }
}

/**
 * Sets `time` if the path has one. It runs after authorization: the present rules decide who may read the past. It throws ApiError 400
 * for an invalid time, and 405 for a request that does not read stored objects.
 * @param now the clock of the cluster
 */
export function withPast(now: () => number): Filter {
  return (c, next) => {
    const { time: text } = c.get('address')
    if (text === undefined) return next()
    c.set('time', readTime(text, now()))
    if (!isReadable(c.get('info'))) throw onlyRead()
    return next()
  }
}

/** WithRequestInfo: parses method and URL. */
import type { ClusterAddresses } from '../../clusters/cluster-path.ts'
import { parseQuery } from '../../meta/query.ts'
import { attributesOf } from '../request-attributes.ts'
import { requestInfo } from '../request-info.ts'
import type { Filter } from './filter.ts'
import { unreadablePath } from './unreadable-path.ts'

const noQuery = new URLSearchParams()

/**
 * Sets `address`, `info`, `query` and `attributes`. Responds to a malformed path itself: before authentication and without an audit event.
 */
export const withRequestInfo =
  (addresses: ClusterAddresses): Filter =>
  (c, next) => {
    const { method, url } = c.req.raw
    const address = addresses.of(url)
    const { location } = address
    const mark = location.indexOf('?')
    const query = mark < 0 ? noQuery : parseQuery(location.slice(mark + 1))
    const info = requestInfo(method, mark < 0 ? location : location.slice(0, mark), query)
    if (typeof info === 'string') return Promise.resolve(unreadablePath(info, location))
    c.set('address', address)
    c.set('info', info)
    c.set('query', query)
    c.set('attributes', attributesOf(info, query))
    return next()
  }

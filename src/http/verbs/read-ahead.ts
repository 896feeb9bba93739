/** The operation of a GET before it is authorized, for the renewal of the policy that may bring the object along. */
import type { Operation } from '../../clusters/operation.ts'
import { resourceConfigOf } from '../../config/emulation.ts'
import { ApiError } from '../../meta/errors.ts'
import type { RequestInfo } from '../request-info.ts'
import { get, readOf } from './get.ts'
import { route, targetOf } from './route.ts'

/** The release of the cluster is not known yet. Reads of versions that the newest release does not serve are not made ahead. */
const config = resourceConfigOf('')

/**
 * Returns the operation of a GET of one built-in object in the present.
 * @returns undefined for other requests, and for those that the handler rejects
 */
export function operationOfGet(request: Request, query: URLSearchParams, info: RequestInfo): Operation | undefined {
  if (!info.isResource || info.verbPrefix !== '' || info.subresource !== '') return undefined
  try {
    const found = route(request.method, info, config)
    if (found?.handler !== get) return undefined
    const { kind } = found
    return readOf({ request, query, kind, target: targetOf(info, kind) }).operation
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

/**
 * Keeps a run from ending itself: what would decide about all requests that follow is tried only, and nothing is deleted that
 * all lanes need.
 */

import type { Lane } from './lane.ts'
import type { AttackRequest } from './request.ts'

/** Resources whose objects decide about other requests, or serve them. */
const deciding =
  /\/(?:\w*webhookconfigurations|\w*admissionpolic(?:ies|ybindings)|customresourcedefinitions|apiservices|flowschemas|prioritylevelconfigurations|priorityclasses|servicecidrs|clusterroles|clusterrolebindings)(?:\/|$)/i

/** A request that deletes all objects of a resource that has no namespace, or of all namespaces. */
const wholeCollection = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/[^/]+\/?$/

function decoded(path: string): string {
  try {
    return decodeURIComponent(path).replace(/\/{2,}/g, '/')
  } catch {
    return path
  }
}

/** The same request; tried only (`dryRun=All`) where it would do harm to the run. */
export function confine(request: AttackRequest, lane: Lane): AttackRequest {
  const { method, target } = request
  if (['GET', 'HEAD', 'OPTIONS'].includes(method)) return request
  const [path = ''] = target.split('?')
  const there = decoded(path)
  const isOwnNamespace = there.endsWith(`/namespaces/${lane.namespace}`)
  const deletesMuch = method === 'DELETE' && wholeCollection.test(there)
  if (!deciding.test(there) && !isOwnNamespace && !deletesMuch) return request
  const rest = target.slice(path.length + 1).replace(/(?:^|&)dryRun(?:=[^&]*)?(?=&|$)/g, '')
  return { ...request, target: `${path}?dryRun=All${rest === '' ? '' : `&${rest.replace(/^&/, '')}`}` }
}

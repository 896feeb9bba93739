/**
 * Keeps a run from disturbing itself: writes that affect all following requests become dry runs, and objects that all lanes need
 * are not deleted.
 */

import type { Lane } from './lane.ts'
import type { AttackRequest } from './request.ts'

/** Resources whose objects affect or serve other requests. */
const deciding =
  /\/(?:\w*webhookconfigurations|\w*admissionpolic(?:ies|ybindings)|customresourcedefinitions|apiservices|flowschemas|prioritylevelconfigurations|priorityclasses|servicecidrs|clusterroles|clusterrolebindings)(?:\/|$)/i

/** Matches deletions of whole collections that are cluster-scoped or span all namespaces. */
const wholeCollection = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/[^/]+\/?$/

function decoded(path: string): string {
  try {
    return decodeURIComponent(path).replace(/\/{2,}/g, '/')
  } catch {
    return path
  }
}

/** Returns the request, as a dry run (`dryRun=All`) if it would disturb the run. */
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

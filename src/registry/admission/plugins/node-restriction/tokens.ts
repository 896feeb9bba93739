/** Tokens of ServiceAccounts that a kubelet requests for its Pods. */
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '../../../../catalog/generated/types/core.v1.ts'
import type { CSIDriver } from '../../../../catalog/generated/types/storage.v1.ts'
import { goQuote } from '../../../../go/text.ts'
import { ApiError } from '../../../../meta/errors.ts'
import { aggregateTexts } from '../../../../meta/field-error.ts'
import { access } from '../../../access.ts'
import { listedObject, storedObject } from '../../stored-objects.ts'
import { type AdmitNode, type NodeRequest, refusal } from './request.ts'

interface TokenRequestSpec {
  readonly audiences?: readonly string[] | null
  readonly boundObjectRef?: {
    readonly apiVersion?: string
    readonly kind?: string
    readonly name?: string
    readonly uid?: string
  } | null
}

/** Returns the name of the CSI driver behind a claim; '' if its volume has no driver. @throws ApiError 404, MissingLookups */
function driverOfClaim({ context, attributes }: NodeRequest, name: string): string {
  const { lookups } = context
  const { namespace } = attributes
  const claim = listedObject(lookups, { resource: 'persistentvolumeclaims', namespace, name }) as PersistentVolumeClaim
  const volume = { resource: 'persistentvolumes', namespace: '', name: claim.spec.volumeName ?? '' }
  return (listedObject(lookups, volume) as PersistentVolume).spec.csi?.driver ?? ''
}

function driverOf(request: NodeRequest, pod: Pod, volume: Volume): string {
  if (volume.ephemeral?.volumeClaimTemplate !== undefined) {
    return driverOfClaim(request, `${pod.metadata.name ?? ''}-${volume.name}`)
  }
  if (volume.persistentVolumeClaim !== undefined) return driverOfClaim(request, volume.persistentVolumeClaim.claimName)
  return volume.csi?.driver ?? ''
}

/** Whether a CSI driver requests tokens for the audience. @throws ApiError 404, MissingLookups */
function driverRequests({ context }: NodeRequest, name: string, audience: string): boolean {
  const reference = { group: 'storage.k8s.io', version: 'v1', resource: 'csidrivers', namespace: '', name }
  const driver = storedObject(context.lookups, reference) as CSIDriver | null
  if (driver === null) throw new ApiError(404, 'NotFound', `csidriver.storage.k8s.io ${goQuote(name)} not found`)
  return (driver.spec.tokenRequests ?? []).some((token) => token.audience === audience)
}

/**
 * Whether a volume of the Pod requests a token for the audience.
 * @param problems gets the errors of volumes whose driver is unknown
 */
function refersTo(request: NodeRequest, pod: Pod, audience: string, problems: string[]): boolean {
  return (pod.spec.volumes ?? []).some((volume) => {
    const sources = volume.projected?.sources ?? []
    const isProjected = ({ serviceAccountToken: token }: (typeof sources)[number]): boolean =>
      token !== undefined && (token.audience ?? '') === audience
    if (sources.some(isProjected)) return true
    try {
      const driver = driverOf(request, pod, volume)
      return driver !== '' && driverRequests(request, driver, audience)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      problems.push(error.message)
      return false
    }
  })
}

/** Returns the reason to reject the audiences; undefined if a volume of the Pod or the node's permissions allow them. */
function audienceRefusal(request: NodeRequest, pod: Pod, audiences: readonly string[]): string | undefined {
  if (audiences.length > 1) return 'node may only request 0 or 1 audiences'
  const [audience = ''] = audiences
  const problems: string[] = []
  if (refersTo(request, pod, audience, problems)) return undefined
  if (problems.length > 0) return `error validating audience ${goQuote(audience)}: ${aggregateTexts(problems)}`
  const { attributes, context } = request
  const { user, namespace, name } = attributes
  const decision = access(
    { user, lookups: context.lookups },
    { verb: 'request-serviceaccounts-token-audience', group: '', version: 'v1', resource: audience, namespace, name },
  )
  if (decision.allowed) return undefined
  const begin = `audience ${goQuote(audience)} not found in pod spec volume`
  return decision.error === undefined
    ? `${begin}, ${user.name} is not authorized to request tokens for this audience`
    : `${begin}, error authorizing ${user.name} to request tokens for this audience: ${decision.error}`
}

/** Admits tokens that are bound to Pods of the node, for audiences that these Pods use. */
export const admitTokenRequest: AdmitNode = (request) => {
  const { attributes, node, object, context } = request
  if (attributes.operation !== 'CREATE') return
  const { boundObjectRef: bound, audiences } = object.spec as TokenRequestSpec
  if (bound?.apiVersion !== 'v1' || bound.kind !== 'Pod' || (bound.name ?? '') === '') {
    throw refusal(request, 'node requested token not bound to a pod')
  }
  if ((bound.uid ?? '') === '') throw refusal(request, 'node requested token with a pod binding without a uid')
  const { namespace } = attributes
  const pod = listedObject(context.lookups, { resource: 'pods', namespace, name: bound.name ?? '' }) as Pod
  if (bound.uid !== pod.metadata.uid) {
    const why = 'does not match the UID in record. The object might have been deleted and then recreated'
    throw refusal(request, `the UID in the bound object reference (${bound.uid}) ${why}`)
  }
  if (pod.spec.nodeName !== node) throw refusal(request, 'node requested token bound to a pod scheduled on a different node')
  const why = audienceRefusal(request, pod, audiences ?? [])
  if (why !== undefined) throw refusal(request, why)
}

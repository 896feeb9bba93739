/** POST of a TokenRequest to a ServiceAccount: `kubectl create token`. */
import { boundClaims } from '../../auth/service-accounts/claims.ts'
import {
  bindingOf,
  boundTokenOf,
  type ReadCore,
  type TokenRequestSpec,
  validateTokenRequest,
} from '../../auth/service-accounts/token-request.ts'
import { readObject } from '../../clusters/read-object.ts'
import { rfc3339Seconds } from '../../go/time.ts'
import { conflict, invalid } from '../../meta/errors.ts'
import { invalidValue } from '../../meta/field-error.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { newUid } from '../../meta/uid.ts'
import type { ResourceContext } from '../context.ts'
import type { Reviewer } from './review.ts'

const kind = { group: 'authentication.k8s.io', kind: 'TokenRequest' }

interface TokenRequest extends KubernetesObject {
  spec: TokenRequestSpec
}

/** Returns the ServiceAccount that the path names. Name and UID in the request are optional but must match it. */
async function accountOf({ metadata }: KubernetesObject, { client, target }: ResourceContext): Promise<KubernetesObject> {
  const { namespace, name } = target
  if ((metadata.name ?? '') !== '' && metadata.name !== name) {
    throw invalid(kind, name, [invalidValue('metadata.name', metadata.name, 'must match the service account name if specified')])
  }
  const account = await readObject(client, { resource: 'serviceaccounts', namespace, name })
  const { uid } = account.metadata
  if ((metadata.uid ?? '') === '' || metadata.uid === uid) return account
  const why = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`
  throw conflict({ group: kind.group, resource: kind.kind }, name, why)
}

/**
 * Completes a request with the metadata of its ServiceAccount and the default audiences.
 * @throws ApiError 404 if the ServiceAccount does not exist, 409 for another uid, 422 for an invalid lifetime
 */
export async function completeTokenRequest(review: KubernetesObject, context: ResourceContext): Promise<void> {
  const { services, target } = context
  const request = review as TokenRequest
  const { uid = '' } = (await accountOf(request, context)).metadata
  const { managedFields, ...metadata } = request.metadata
  const { namespace, name } = target
  const creationTimestamp = rfc3339Seconds(services.now())
  request.metadata = {
    ...metadata,
    name,
    namespace,
    uid,
    creationTimestamp,
    ...(managedFields !== undefined && { managedFields }),
  }
  const { spec } = request
  if (!spec.audiences?.length) request.spec = { ...spec, audiences: [...services.authentication.tokens.audiences] }
  const errors = validateTokenRequest(spec)
  if (errors.length > 0) throw invalid(kind, '', errors)
}

/**
 * Issues a token. A dry run issues one too, as in kube-apiserver, because nothing is stored.
 * @param review completed by completeTokenRequest
 * @throws ApiError 404 if the bound object does not exist
 */
export const issueToken: Reviewer = async (review, context) => {
  const { client, services, target } = context
  const { metadata, spec } = review as TokenRequest
  const { audiences: own } = services.authentication.tokens
  const { namespace, name } = target
  const read: ReadCore = (resource, objectName) =>
    readObject(client, { resource, namespace: resource === 'nodes' ? '' : namespace, name: objectName })
  const binding = await bindingOf(spec.boundObjectRef, name, read)
  const { uid = '' } = metadata
  const now = services.now()
  const identity = { issuer: services.issuer.url, account: { namespace, name, uid }, binding, id: newUid() }
  const claims = boundClaims(boundTokenOf({ ...spec, audiences: spec.audiences ?? [] }, identity, own, Math.floor(now / 1000)))
  context.audit?.issued(identity.id)
  const token = await services.issuer.keys.sign(claims)
  const expirationTimestamp = rfc3339Seconds(now + spec.expirationSeconds * 1000)
  return { ...review, status: { token, expirationTimestamp } } as KubernetesObject
}

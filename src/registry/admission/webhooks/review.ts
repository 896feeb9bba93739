/** The AdmissionRequest that webhooks receive. Follows the package webhook/request. */
import { stringify } from '../../../go/json.ts'
import type { JsonObject } from '../../../go/json-value.ts'
import { type EquivalentResource, type GroupVersionKind, resourceOf } from '../matching/equivalents.ts'
import { namespaceOf } from '../matching/rules.ts'
import type { AdmissionAttributes } from '../plugin.ts'

/** The JSON of a review's objects, in the version in which the webhook wants them; undefined if the review has no object. */
export interface ReviewedObjects {
  readonly object: string | undefined
  readonly old: string | undefined
}

const kindJson = ({ group, version, kind }: GroupVersionKind): JsonObject => ({ group, version, kind })

const resourceJson = ({ group, version, resource }: Omit<EquivalentResource, 'kind'>): JsonObject => ({
  group,
  version,
  resource,
})

function userJson({ user }: AdmissionAttributes): JsonObject {
  const { name, uid, groups, extra } = user
  return {
    ...(name !== '' && { username: name }),
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(Object.keys(extra).length > 0 && {
      extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
    }),
  }
}

/**
 * Returns the JSON of an AdmissionRequest without its uid, which each call has of its own.
 * @param matched the resource under which the webhook matches
 */
export function admissionRequest(
  attributes: AdmissionAttributes,
  matched: EquivalentResource,
  { object, old }: ReviewedObjects,
): string {
  const { operation, kind, subresource, name, dryRun, options } = attributes
  const own = resourceOf(kind, subresource)
  const namespace = namespaceOf(attributes)
  const before = stringify({
    kind: kindJson(matched.kind),
    resource: resourceJson(matched),
    ...(subresource !== '' && { subResource: subresource }),
    requestKind: kindJson(own.kind),
    requestResource: resourceJson(own),
    ...(subresource !== '' && { requestSubResource: subresource }),
    ...(name !== '' && { name }),
    ...(namespace !== '' && { namespace }),
    operation,
    userInfo: userJson(attributes),
  })
  const after = stringify({
    dryRun,
    options:
      options === undefined || operation === 'CONNECT'
        ? null
        : { kind: options.kind, apiVersion: 'meta.k8s.io/v1', ...options.fields },
  })
  // The objects are JSON already.
  return `${before.slice(0, -1)},"object":${object ?? 'null'},"oldObject":${old ?? 'null'},${after.slice(1)}`
}

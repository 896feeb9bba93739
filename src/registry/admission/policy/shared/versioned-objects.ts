/** Converts the objects of a request to the version in which a policy or webhook wants to see them. */
import { apiVersionOf, type Kind } from '../../../../catalog/kind.ts'
import { parseStoredJson, stringify } from '../../../../go/json.ts'
import type { JsonObject } from '../../../../go/json-value.ts'
import { internalError } from '../../../../meta/errors.ts'
import type { KubernetesObject } from '../../../../meta/object-meta.ts'
import { toStorageVersion } from '../../../stored-object.ts'
import { type EquivalentResource, resourceOf } from '../../matching/equivalents.ts'

/**
 * The version of an object: that of the request, which the mutating phase sees; internal, which strategies see; or that in which it is
 * stored, which a deletion sees.
 */
export type ObjectVersion = 'request' | 'internal' | 'stored'

/** Whether the bodies of a subresource are objects of the resource itself. */
function isOfResource(kind: Kind, subresource: string): boolean {
  const body = resourceOf(kind, subresource).kind
  return body.group === kind.group && body.version === kind.version && body.kind === kind.kind
}

/** The request whose object is converted. */
interface VersionedRequest {
  readonly kind: Kind
  readonly subresource: string
}

type KindOf = (group: string, version: string, resource: string) => Kind | undefined

/** An object as JSON, with the reading of its numbers, or as a value if it has none of the codec's forms. */
type Encoded = { readonly text: string; readonly numbers: Kind['codec']['decodedNumbers'] } | { readonly value: JsonObject }

function encoded(
  { kind, subresource }: VersionedRequest,
  object: KubernetesObject,
  version: ObjectVersion,
  matched: EquivalentResource,
  kindOf: KindOf,
): Encoded {
  const isSame = matched.group === kind.group && matched.version === kind.version && matched.resource === kind.resource
  const typeMeta = { apiVersion: apiVersionOf(matched.kind.group, matched.kind.version), kind: matched.kind.kind }
  if (!isOfResource(kind, subresource)) return { value: { ...(object as unknown as JsonObject), ...typeMeta } }
  const resourceVersion = object.metadata.resourceVersion ?? ''
  const { decodedNumbers } = kind.codec
  // A custom resource is in the version of the request already.
  if (isSame && version === 'internal' && kind.definition !== undefined) {
    const fields = parseStoredJson(kind.codec.encode(object, resourceVersion), decodedNumbers) as JsonObject
    return { value: { ...fields, ...typeMeta } }
  }
  const wanted = isSame ? kind : kindOf(matched.group, matched.version, matched.resource)
  if (wanted === undefined) throw internalError(`no kind of ${matched.resource} in ${matched.group}/${matched.version}`)
  if (version === 'request' && isSame) {
    const text = `${kind.typeMetaPrefix}${kind.codec.encode(object, resourceVersion).slice(1)}`
    return { text, numbers: decodedNumbers }
  }
  const value = kind.codec.encode(storedVersionOf(kind, object, version), resourceVersion)
  return { text: wanted.codec.withTypeMeta(value), numbers: wanted.codec.decodedNumbers }
}

/**
 * Returns an object as Go encodes it, with apiVersion and kind.
 * @param request the kind of the request's resource, and its subresource
 * @param matched the resource in whose version the object is wanted
 * @param kindOf returns the kind of a resource
 * @throws ApiError if the object cannot be converted, MissingLookups
 */
export function versionedObject(
  request: VersionedRequest,
  object: KubernetesObject,
  version: ObjectVersion,
  matched: EquivalentResource,
  kindOf: KindOf,
): JsonObject {
  const found = encoded(request, object, version, matched, kindOf)
  return 'value' in found ? found.value : (parseStoredJson(found.text, found.numbers) as JsonObject)
}

/** Returns the JSON of the object that versionedObject returns, without parsing it. */
export function versionedText(...parameters: Parameters<typeof versionedObject>): string {
  const found = encoded(...parameters)
  return 'value' in found ? stringify(found.value) : found.text
}

function storedVersionOf(kind: Kind, object: KubernetesObject, version: ObjectVersion): KubernetesObject {
  if (version === 'stored') return object
  return version === 'internal' ? toStorageVersion(kind, object) : (kind.conversion?.toStorage(structuredClone(object)) ?? object)
}

/**
 * The object of a request in the versions in which policies mutate it. Follows VersionedAttributes of
 * k8s.io/apiserver/pkg/admission: each version is converted once from the request's object, and sees only its own mutations.
 */
import type { Kind } from '../../../../catalog/kind.ts'
import { bodyKindOf } from '../../../../catalog/scheme.ts'
import { parseStoredJson, setKey } from '../../../../go/json.ts'
import type { JsonObject } from '../../../../go/json-value.ts'
import { goQuote } from '../../../../go/text.ts'
import { internalError } from '../../../../meta/errors.ts'
import type { KubernetesObject } from '../../../../meta/object-meta.ts'
import { scheme } from '../../../../meta/type-meta.ts'
import { toStorageVersion } from '../../../stored-object.ts'
import type { EquivalentResource } from '../../matching/equivalents.ts'
import type { AdmissionAttributes, MutatingContext } from '../../plugin.ts'
import type { VersionedObjects } from '../shared/request-values.ts'
import { versionedObject } from '../shared/versioned-objects.ts'
import type { Patched } from './patches.ts'

/** The object in one version, with the mutations so far. */
export interface MutatedVersion extends Patched {
  readonly matched: EquivalentResource
  object: JsonObject
  /** Null for a CREATE and a CONNECT. */
  readonly old: JsonObject | null
  /** Whether a mutation was applied, even one without effect. */
  isDirty: boolean
  /** The error of every mutation in this version. */
  readonly refusal?: string
}

const jsonOf = (object: KubernetesObject): JsonObject => object as unknown as JsonObject

/** Replaces the content of an object, which other parts of the write refer to. */
export function replaceContent(object: KubernetesObject, content: JsonObject): void {
  const target = jsonOf(object)
  for (const key of Object.keys(target)) if (!Object.hasOwn(content, key)) delete target[key]
  for (const [key, value] of Object.entries(content)) setKey(target, key, value)
}

/**
 * Returns the error of a mutation in another version than the request's: kube-apiserver tries to convert the result of a built-in kind
 * between the two versions directly.
 */
function unconvertible(mutated: Kind, requested: Kind): string {
  return mutated.group === requested.group
    ? `converting (${mutated.type.go}) to (${requested.type.go}): unknown conversion`
    : `${mutated.type.go} is not suitable for converting to ${goQuote(requested.apiVersion)} in scheme ${goQuote(scheme)}`
}

/** Converts a custom resource to another version of its definition. Fields that the version does not have are dropped. */
function convertedBack(from: Kind, to: Kind, object: JsonObject): JsonObject {
  const mutated = object as unknown as KubernetesObject
  const value = from.codec.encode(toStorageVersion(from, mutated), mutated.metadata.resourceVersion ?? '')
  const converted = parseStoredJson(to.codec.withTypeMeta(value), to.codec.decodedNumbers) as JsonObject
  return { ...converted, ...jsonOf(to.codec.decodeUnstructured(converted, 'Ignore').object) }
}

/** The versions of one request's object. */
export class MutatedVersions {
  readonly #attributes: AdmissionAttributes
  readonly #object: KubernetesObject
  readonly #old: KubernetesObject | undefined
  readonly #kindOf: MutatingContext['kindOf']
  readonly #versions = new Map<string, MutatedVersion>()

  /** @param object in the version of the request */
  constructor(
    attributes: AdmissionAttributes,
    object: KubernetesObject,
    old: KubernetesObject | undefined,
    kindOf: MutatingContext['kindOf'],
  ) {
    this.#attributes = attributes
    this.#object = object
    this.#old = old
    this.#kindOf = kindOf
  }

  /**
   * Returns the object in the version of a resource.
   * @throws ApiError if it cannot be converted, MissingLookups
   */
  in(matched: EquivalentResource): MutatedVersion {
    const { group, version, kind } = matched.kind
    const key = `${group}/${version}/${kind}`
    const known = this.#versions.get(key)
    if (known !== undefined) return known
    const made = this.#convert(matched)
    this.#versions.set(key, made)
    return made
  }

  /** Writes the mutations of one version into the object of the request. @throws ApiError, MissingLookups */
  write({ kind, object }: MutatedVersion): void {
    const own = this.#bodyKind()
    const isOther = own !== undefined && kind !== undefined && own.apiVersion !== kind.apiVersion
    const { apiVersion, kind: name, ...content } = isOther ? convertedBack(kind, own, object) : object
    const target = jsonOf(this.#object)
    const typeMeta = { ...('apiVersion' in target && { apiVersion }), ...('kind' in target && { kind: name }) }
    replaceContent(this.#object, { ...typeMeta, ...content } as JsonObject)
    own?.codec.nullEmptyLists(this.#object)
  }

  /** Returns the kind of the request's body; undefined for the options of a connection. */
  #bodyKind(): Kind | undefined {
    const { kind, subresource, operation } = this.#attributes
    return operation === 'CONNECT' ? undefined : bodyKindOf(kind, subresource)
  }

  #convert(matched: EquivalentResource): MutatedVersion {
    const { kind } = this.#attributes
    const body = this.#bodyKind()
    const typeMeta = body === undefined ? {} : { apiVersion: body.apiVersion, kind: body.kind }
    const object = { ...jsonOf(this.#object), ...typeMeta }
    const old = this.#old === undefined ? null : { ...jsonOf(this.#old), ...typeMeta }
    const isDescribed = body?.group === kind.group && body.version === kind.version
    const { group, version, resource } = matched
    const isSame = group === kind.group && version === kind.version && resource === kind.resource
    if (body !== kind || isSame) return { kind: body, matched, isDescribed, object, old, isDirty: false }
    const wanted = this.#kindOf(group, version, resource)
    if (wanted === undefined) throw internalError(`no kind of ${resource} in ${group}/${version}`)
    const made = { kind: wanted, matched, isDescribed, isDirty: false }
    if (kind.definition === undefined) {
      const convert = (each: JsonObject): JsonObject => kind.codec.convert(each, wanted)
      return { ...made, object: convert(object), old: old && convert(old), refusal: unconvertible(wanted, kind) }
    }
    const convert = (each: KubernetesObject): JsonObject =>
      versionedObject(this.#attributes, each, 'internal', matched, this.#kindOf)
    return { ...made, object: convert(this.#object), old: this.#old === undefined ? null : convert(this.#old) }
  }
}

/** Returns the objects of a version as expressions see them. */
export const seenObjects = ({ object, old }: MutatedVersion): VersionedObjects => ({ object, old })

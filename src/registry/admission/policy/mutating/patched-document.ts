/** Decodes and defaults documents after a JSON patch, as kube-apiserver's strict serializer does. */
import { refuseStrictly, StrictDecodeError } from '../../../../catalog/decoded.ts'
import type { Kind } from '../../../../catalog/kind.ts'
import { mismatch } from '../../../../catalog/registered-kinds.ts'
import { allKinds, typeOf } from '../../../../catalog/scheme.ts'
import { isObject } from '../../../../go/json-object.ts'
import { sortedJson } from '../../../../go/json-sorted.ts'
import type { JsonObject, JsonValue } from '../../../../go/json-value.ts'
import { goQuote } from '../../../../go/text.ts'
import { internalError, invalid } from '../../../../meta/errors.ts'
import { invalidValue } from '../../../../meta/field-error.ts'
import type { KubernetesObject } from '../../../../meta/object-meta.ts'
import { readTypeMeta, scheme, type TypeMeta } from '../../../../meta/type-meta.ts'
import { decode } from '../../../../schema/decode.ts'
import { DecodeError } from '../../../../schema/decode-run.ts'
import { MutationError } from './mutation-error.ts'

/** Returns the object with the apiVersion and kind of its kind. */
export function withTypeMeta({ apiVersion, kind }: Kind, object: KubernetesObject): JsonObject {
  return { ...(object as unknown as JsonObject), apiVersion, kind }
}

/** @throws ApiError 500 if apiVersion or kind are not texts */
function typeMetaOf(document: JsonValue): TypeMeta {
  const found = readTypeMeta(document)
  if (typeof found === 'string') throw internalError(found)
  return found
}

/** Returns the built-in kind as which a document is decoded: the one that it names. @throws ApiError 500 if it is unknown */
function namedKind(kind: Kind, document: JsonValue): Kind {
  const { apiVersion, kind: name } = typeMetaOf(document)
  const named = { apiVersion: apiVersion || kind.apiVersion, kind: name || kind.kind }
  if (named.kind === kind.kind && named.apiVersion === kind.apiVersion) return kind
  const found = [...allKinds()].find((each) => each.kind === named.kind && each.apiVersion === named.apiVersion)
  if (found !== undefined) return found
  const version = `version ${goQuote(named.apiVersion)} in scheme ${goQuote(scheme)}`
  throw internalError(`no kind ${goQuote(named.kind)} is registered for ${version}`)
}

function decodeBuiltIn(kind: Kind, document: JsonValue): JsonObject {
  try {
    const named = namedKind(kind, document)
    const decoded = withTypeMeta(kind, named.codec.decode(document, undefined, 'Strict').object)
    if (named.group !== kind.group) {
      throw new MutationError(
        `${named.type.go} is not suitable for converting to ${goQuote(kind.apiVersion)} in scheme ${goQuote(scheme)}`,
      )
    }
    const why = mismatch(kind, named)
    if (why !== undefined) throw internalError(`failed to convert object: ${why}`)
    return decoded
  } catch (error) {
    if (error instanceof DecodeError || error instanceof StrictDecodeError) throw internalError(error.message)
    throw error
  }
}

/** Whether an apiVersion is that of a served version of the custom resource. */
function isServed({ group, definition }: Kind, apiVersion: string): boolean {
  return definition?.versions.some(({ name }) => apiVersion === `${group}/${name}`) === true
}

/** @throws ApiError 500 if the apiVersion or the kind is missing or unknown, 422 for another kind */
function checkCustomType(kind: Kind, document: JsonValue): asserts document is JsonObject {
  const { apiVersion, kind: name } = typeMetaOf(document)
  if (name === '' || !isObject(document)) throw internalError(`Object 'Kind' is missing in '${sortedJson(document)}'`)
  if (!isServed(kind, apiVersion)) {
    const found = `${apiVersion === '' ? '/' : apiVersion}, Kind=${name}`
    const why = `${found} is unstructured and is not suitable for converting to ${goQuote(kind.apiVersion)}`
    throw internalError(`failed to convert object: ${why}`)
  }
  if (document.metadata !== undefined && !isObject(document.metadata)) {
    throw internalError('system metadata was not initialized')
  }
  if (name === kind.kind) return
  const { name: objectName = '' } = (document.metadata ?? {}) as { readonly name?: string }
  throw invalid({ group: kind.group, kind: name }, objectName, [invalidValue('kind', name, `must be ${kind.kind}`)])
}

function isValidMetadata(name: string, value: JsonValue | undefined): boolean {
  try {
    decode(typeOf('meta/v1.ObjectMeta'), { [name]: value ?? null })
    return true
  } catch (error) {
    if (error instanceof DecodeError) return false
    throw error
  }
}

/** Decodes a custom resource. Fields of metadata with a wrong type are dropped. */
function decodeCustom(kind: Kind, document: JsonValue): JsonObject {
  checkCustomType(kind, document)
  const entries = Object.entries((document.metadata ?? {}) as JsonObject).filter(([name, value]) => isValidMetadata(name, value))
  const { codec } = kind
  return withTypeMeta(kind, codec.decodeUnstructured({ ...document, metadata: Object.fromEntries(entries) }, 'Ignore').object)
}

/**
 * Decodes and defaults a patched document.
 * @throws ApiError 500 if it does not fit the type, 422 for a custom resource of another kind
 */
export function decodePatched(kind: Kind, document: JsonValue): JsonObject {
  return kind.definition === undefined ? decodeBuiltIn(kind, document) : decodeCustom(kind, document)
}

/**
 * Decodes the patched options of a connection, such as PodExecOptions.
 * @param kind of the options
 * @throws ApiError 500 if they do not fit the type
 */
export function decodePatchedOptions(kind: string, document: JsonValue): JsonObject {
  const typeMeta = typeMetaOf(document)
  const [name, apiVersion] = [typeMeta.kind || kind, typeMeta.apiVersion || 'v1']
  if (name !== kind || apiVersion !== 'v1') {
    throw internalError(`no kind ${goQuote(name)} is registered for version ${goQuote(apiVersion)} in scheme ${goQuote(scheme)}`)
  }
  try {
    const { object, unknownFields } = decode(typeOf(`core/v1.${kind}`), document, { strict: true })
    refuseStrictly(
      'Strict',
      unknownFields.map((field) => `unknown field ${goQuote(field)}`),
    )
    return object
  } catch (error) {
    if (error instanceof DecodeError || error instanceof StrictDecodeError) throw internalError(error.message)
    throw error
  }
}

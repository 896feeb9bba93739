/** Encodes and decodes ConversionReview of apiextensions.k8s.io. */

import { parseJson, stringify } from '../../go/json.ts'
import { isObject } from '../../go/json-object.ts'
import { sortedJson } from '../../go/json-sorted.ts'
import { JsonSyntaxError } from '../../go/json-syntax.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { readTypeMeta, scheme } from '../../meta/type-meta.ts'
import { acceptConverted, textAt } from './converted-object.ts'
import { ConversionFailure, callFailed } from './failure.ts'

const group = 'apiextensions.k8s.io'

/** The supported versions of ConversionReview. */
const spoken: ReadonlySet<string> = new Set(['v1', 'v1beta1'])

/** One call: whole objects and the desired apiVersion. */
export interface Review {
  /** The version of ConversionReview. */
  readonly version: string
  readonly uid: string
  readonly desiredApiVersion: string
  readonly objects: readonly JsonObject[]
}

/**
 * Returns the version of ConversionReview for a call: the first one in conversionReviewVersions that is supported here.
 * @throws ConversionFailure if none is supported
 */
export function reviewVersion(understood: readonly string[]): string {
  const version = understood.find((each) => spoken.has(each))
  if (version === undefined) throw new ConversionFailure('no supported conversion review versions')
  return version
}

/** Returns the request body; the keys of objects are sorted, as Go writes maps. */
export function requestText({ version, uid, desiredApiVersion, objects }: Review): string {
  const [id, desired] = [stringify(uid), stringify(desiredApiVersion)]
  const request = `{"uid":${id},"desiredAPIVersion":${desired},"objects":[${objects.map(sortedJson).join(',')}]}`
  return `{"kind":"ConversionReview","apiVersion":"${group}/${version}","request":${request}}`
}

/** Formats `apiextensions.k8s.io/v1, Kind=ConversionReview`; a version without a group gets a leading slash. */
function describe(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`
}

/**
 * The kinds that upstream's decoder knows: for these the error is that another kind was expected, not that the kind is unknown.
 */
const known: ReadonlySet<string> = new Set([
  'v1 Status',
  ...['v1', 'v1beta1'].flatMap((version) =>
    ['ConversionReview', 'CustomResourceDefinition'].map((kind) => `${group}/${version} ${kind}`),
  ),
])

function parsed(text: string): JsonValue {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    // Upstream also reads YAML, in which text that is not JSON mostly is a string.
    if (!/^\s*[[{]/.test(text)) return text
    throw callFailed(`couldn't get version/kind; json parse error: ${error.message}`)
  }
}

/** Reads the response and checks its apiVersion and kind. */
function readAnswer(text: string, version: string): JsonObject {
  const value = parsed(text)
  const typeMeta = readTypeMeta(value)
  if (typeof typeMeta === 'string') throw callFailed(typeMeta)
  const { apiVersion, kind } = typeMeta
  const own = `${group}/${version}`
  if (apiVersion !== '' && kind !== '' && (apiVersion !== own || kind !== 'ConversionReview')) {
    if (known.has(`${apiVersion} ${kind}`)) {
      const from = `${apiVersion.slice(apiVersion.indexOf('/') + 1)}.${kind}`
      throw callFailed(`converting (${from}) to (${version}.ConversionReview): unknown conversion`)
    }
    throw callFailed(`no kind "${kind}" is registered for version "${apiVersion}" in scheme "${scheme}"`)
  }
  // Upstream has never required them in v1beta1.
  if (version === 'v1' && (apiVersion !== own || kind !== 'ConversionReview')) {
    const [wanted, got] = [describe(own, 'ConversionReview'), describe(apiVersion, kind)]
    throw callFailed(`expected webhook response of ${wanted}, got ${got}`)
  }
  return isObject(value) ? value : {}
}

const cannotRead = (what: string, field: string, type: string): ConversionFailure =>
  callFailed(`json: cannot unmarshal ${what} into Go struct field ${field} of type ${type}`)

function responseOf(answer: JsonObject, version: string): JsonObject {
  const { response = null } = answer
  if (response === null) throw callFailed('no response provided')
  if (!isObject(response)) {
    throw cannotRead(
      Array.isArray(response) ? 'array' : typeof response,
      'ConversionReview.response',
      `${version}.ConversionResponse`,
    )
  }
  return response
}

function checkResult(response: JsonObject): void {
  const { result = null } = response
  if (result !== null && !isObject(result)) {
    throw cannotRead(Array.isArray(result) ? 'array' : typeof result, 'ConversionResponse.response.result', 'v1.Status')
  }
  const [status, message] = [textAt(result, 'status'), textAt(result, 'message')]
  if (status === 'Success') return
  throw callFailed(message === '' ? `response.result.status was '${status}', not 'Success'` : message)
}

function convertedOf(response: JsonObject): readonly JsonValue[] {
  const { convertedObjects = null } = response
  if (convertedObjects === null) return []
  if (Array.isArray(convertedObjects)) return convertedObjects
  const field = 'ConversionResponse.response.convertedObjects'
  throw cannotRead(isObject(convertedObjects) ? 'object' : typeof convertedObjects, field, '[]runtime.RawExtension')
}

/**
 * Returns the converted objects, in the order of the request.
 * @param text the response body
 * @throws ConversionFailure if the response is malformed, belongs to another call, is a failure, or contains an invalid object
 */
export function convertedObjects(review: Review, text: string): JsonObject[] {
  const { version, uid, desiredApiVersion, objects } = review
  const response = responseOf(readAnswer(text, version), version)
  const responseUid = textAt(response, 'uid')
  if (version === 'v1' && responseUid !== uid)
    throw callFailed(`expected response.uid=${stringify(uid)}, got ${stringify(responseUid)}`)
  checkResult(response)
  const converted = convertedOf(response)
  if (converted.length !== objects.length) {
    throw new ConversionFailure(`returned ${converted.length} objects, expected ${objects.length}`, 'of kind')
  }
  return objects.map((object, i) => acceptConverted(object, converted[i] ?? null, desiredApiVersion, i))
}

/** PATCH with an apply configuration (server-side apply): parsed here as YAML, merged in the Durable Object of the collection. */
import type { Kind } from '../../catalog/kind.ts'
import { CborError } from '../../cbor/heads.ts'
import { checkCborMap, jsonOfCbor } from '../../cbor/read.ts'
import { isRawNumber, mayHoldWholeDoubles, mayOverflow, parseJson, stringify } from '../../go/json.ts'
import { duplicateFields } from '../../go/json-duplicates.ts'
import { JsonSyntaxError } from '../../go/json-syntax.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { badRequest } from '../../meta/errors.ts'
import { readPatchOptions } from '../../meta/options.ts'
import { isLong, runInSlices } from '../../meta/parts.ts'
import { boundWarnings } from '../../meta/warnings.ts'
import { mayCreateBy, strategyOptionsOf } from '../../registry/strategy-options.ts'
import { readingYaml, readYaml, strictYamlError, type YamlDocument } from '../../yaml/parse.ts'
import { YamlSyntaxError } from '../../yaml/reader/source.ts'
import type { Output } from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { admissionOf, writeOptionsOf } from './admission.ts'
import { viewField } from './answer-fields.ts'
import { respond } from './respond.ts'
import { writeOptions } from './write-options.ts'

/**
 * Matches what YAML does not allow in JSON: `\/`, surrogate escapes, even in pairs, control characters and invalid UTF-8, which lone
 * surrogates mark; and its further line breaks.
 */
const unlikeYaml = /\\u[dD][89a-fA-F]|\\\/|[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|[\udc00-\udfff]/u

/** Matches keys that YAML may not find: long ones, and those with a line break before the colon. It may match texts too. */
const mayHideKeys = /"[ \t]*[\r\n]\s*:|"[^"]{1000,}"\s*:/

/** Parses a configuration that is plain JSON, as most are: the result is the same as that of the YAML reader, but faster. */
function plainJson(text: string): YamlDocument | undefined {
  if (!/^[ \r\n]*\{/.test(text) || unlikeYaml.test(text)) return undefined
  // YAML reads numbers beyond the range of a double as text.
  if (mayOverflow(text) || mayHideKeys.test(text)) return undefined
  try {
    const value = parseJson(text)
    if (duplicateFields(text, value).length > 0) return undefined
    // A whole number that is written as a double becomes an integer in YAML.
    return { value, json: mayHoldWholeDoubles(text) ? stringify(value) : text, duplicates: [] }
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined
    throw error
  }
}

/** Returns Go's name of the type of a value that is not an object. */
function goTypeName(value: JsonValue): string {
  if (Array.isArray(value)) return 'array'
  if (isRawNumber(value)) return 'number'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/**
 * Parses a configuration in YAML or JSON.
 * @throws ApiError 400 if it is malformed or not an object
 */
export async function readConfiguration(text: string): Promise<YamlDocument> {
  try {
    const document = plainJson(text) ?? (isLong(text) ? await runInSlices(readingYaml(text)) : readYaml(text))
    const { value } = document
    if (value === null || (typeof value === 'object' && !Array.isArray(value) && !isRawNumber(value))) return document
    const why = `json: cannot unmarshal ${goTypeName(value)} into Go value of type map[string]interface {}`
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`)
  } catch (error) {
    if (error instanceof YamlSyntaxError) throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`)
    throw error
  }
}

/**
 * Parses a configuration in CBOR, which cannot contain duplicate keys.
 * @throws ApiError 400 if it is malformed or not an object
 */
export function readCborConfiguration(bytes: Uint8Array, kind: Kind): YamlDocument {
  try {
    checkCborMap(bytes, 'map[string]interface {}')
    const json = jsonOfCbor(bytes, kind.codec.cborType)
    return { value: parseJson(json), json, duplicates: [] }
  } catch (error) {
    if (error instanceof CborError) throw badRequest(`error decoding YAML: ${error.message}`)
    throw error
  }
}

/** The maximum number of characters of a message about duplicate keys, which is sent in a header. */
const maximumStrictCharacters = 4096

const strictText = (duplicates: readonly string[]): string =>
  `error strict decoding YAML: error converting YAML to JSON: ${strictYamlError(duplicates)}`.slice(0, maximumStrictCharacters)

/**
 * Returns the configuration. If it is malformed and could not create the object, returns the 404 if the object does not exist.
 */
async function readOf(
  context: ResourceContext,
  mayCreate: boolean,
  read: () => YamlDocument | Promise<YamlDocument>,
): Promise<YamlDocument | Response> {
  const { client, kind, target } = context
  try {
    return await read()
  } catch (error) {
    if (mayCreate) throw error
    const found = await client.perform(kind, { verb: 'get', target, resourceVersion: '' })
    if (found.status === 404) return found
    await found.body?.cancel()
    throw error
  }
}

/**
 * Applies a configuration.
 * @param read parses the configuration, after the query parameters have been validated
 * @throws ApiError 422 for query parameters that must not be combined, and the errors of `read`
 */
export async function apply(
  context: ResourceContext,
  output: Output,
  read: () => YamlDocument | Promise<YamlDocument>,
): Promise<Response> {
  const { client, query, kind, target } = context
  const options = readPatchOptions(query, 'apply')
  const mayCreate = mayCreateBy('apply', strategyOptionsOf(kind.storage.prefix), target.subresource)
  const document = await readOf(context, mayCreate, read)
  if (document instanceof Response) return respond(document, output)
  const { value, json, duplicates } = document
  const write = writeOptions(options, context)
  const admission = await admissionOf(context, value, {
    operations: mayCreate ? ['CREATE', 'UPDATE'] : ['UPDATE'],
    options: writeOptionsOf('UpdateOptions', options),
    dryRun: write.dryRun,
  })
  const reported = options.fieldValidation === 'Ignore' ? [] : duplicates
  const strict = options.fieldValidation === 'Strict' && reported.length > 0
  const inner = await client.perform(
    kind,
    {
      verb: 'apply',
      target,
      write,
      ...admission,
      force: options.force === true,
      ...(strict ? { strictError: strictText(reported) } : reported.length > 0 && { errorWarnings: boundWarnings(reported) }),
      ...viewField(output, query),
    },
    json,
  )
  return respond(inner, output, reported)
}

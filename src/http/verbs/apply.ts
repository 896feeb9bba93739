/** PATCH with an apply configuration (server-side apply): read here as YAML, merged where the object is. */
import type { Kind } from '../../catalog/kind.ts'
import { CborError } from '../../cbor/heads.ts'
import { checkCborMap, jsonOfCbor } from '../../cbor/read.ts'
import { isRawNumber, mayHoldWholeDoubles, parseJson, stringify } from '../../go/json.ts'
import { duplicateFields } from '../../go/json-duplicates.ts'
import { JsonSyntaxError } from '../../go/json-syntax.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { badRequest } from '../../meta/errors.ts'
import { readPatchOptions } from '../../meta/options.ts'
import { isLong, runInSlices } from '../../meta/parts.ts'
import { mayCreateBy, strategyOptionsOf } from '../../registry/strategy-options.ts'
import { readingYaml, readYaml, strictYamlError, type YamlDocument } from '../../yaml/parse.ts'
import { YamlSyntaxError } from '../../yaml/reader/source.ts'
import type { OutputMediaType } from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { expectedLookups } from './admission.ts'
import { representationOf } from './representation.ts'
import { respond } from './respond.ts'
import { writeOptions } from './write-options.ts'

/** Numbers that no double holds, which are texts in YAML; and texts that look like them, which cost time only. */
const mayBeBeyondDoubles = /\d[eE]\+?\d{3}|\d{309}/

/** A configuration that is plain JSON, as most are: every YAML reader takes it for the same, and this one is quicker. */
function plainJson(text: string): YamlDocument | undefined {
  // YAML takes no escaped slash, and no surrogates in escapes, not even in pairs; and what is no UTF-8 is marked for its reader.
  if (!text.trimStart().startsWith('{') || /\\u[dD][89a-fA-F]|[\udc00-\udfff]/u.test(text)) return undefined
  if (mayBeBeyondDoubles.test(text) || text.includes('\\/')) return undefined
  try {
    const value = parseJson(text)
    if (duplicateFields(text).length > 0) return undefined
    // YAML's doubles become integers where they are whole.
    return { value, json: mayHoldWholeDoubles(text) ? stringify(value) : text, duplicates: [] }
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined
    throw error
  }
}

/** What Go calls a value that was to be an object. */
function goTypeName(value: JsonValue): string {
  if (Array.isArray(value)) return 'array'
  if (isRawNumber(value)) return 'number'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/**
 * Reads a configuration in YAML or JSON.
 * @throws ApiError 400 for what is no object
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
 * Reads a configuration in CBOR, in which no key is there twice.
 * @throws ApiError 400 for what is no object
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

/** Most characters of a message about keys that are there twice: it travels in a header. */
const maximumStrictCharacters = 4096

const strictText = (duplicates: readonly string[]): string =>
  `error strict decoding YAML: error converting YAML to JSON: ${strictYamlError(duplicates)}`.slice(0, maximumStrictCharacters)

/** The configuration; or, for one that is none, of an object that is not there and will not be made, that it is not there. */
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
 * @param read gives the configuration, once the options are known to be right
 * @throws ApiError 422 for parameters that do not go together, and what `read` throws
 */
export async function apply(
  context: ResourceContext,
  output: OutputMediaType,
  read: () => YamlDocument | Promise<YamlDocument>,
): Promise<Response> {
  const { client, query, kind, target } = context
  const options = readPatchOptions(query, 'apply')
  const mayCreate = mayCreateBy('apply', strategyOptionsOf(kind.storage.prefix), target.subresource)
  const document = await readOf(context, mayCreate, read)
  if (document instanceof Response) return respond(document, output)
  const { value, json, duplicates } = document
  const expected = mayCreate ? await expectedLookups(context, value) : {}
  const told = options.fieldValidation === 'Ignore' ? [] : duplicates
  const strict = options.fieldValidation === 'Strict' && told.length > 0
  const inner = await client.perform(
    kind,
    {
      verb: 'apply',
      target,
      write: writeOptions(options, context),
      ...expected,
      force: options.force === true,
      ...(strict && { strictError: strictText(told) }),
      ...representationOf(output, query),
    },
    json,
  )
  return respond(inner, output, told)
}

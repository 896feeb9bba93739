/** PATCH with an apply configuration (server-side apply): read here as YAML, merged where the object is. */
import { wireError } from '../../clusters/operation.ts'
import { ApiError, badRequest } from '../../meta/errors.ts'
import { isRawNumber, parseJson } from '../../meta/json.ts'
import { duplicateFields } from '../../meta/json-duplicates.ts'
import { JsonSyntaxError } from '../../meta/json-syntax.ts'
import type { JsonValue } from '../../meta/json-value.ts'
import { readPatchOptions } from '../../meta/options.ts'
import { requireAuthorization } from '../chain/authorization.ts'
import type { OutputMediaType } from '../codec/negotiate.ts'
import { readYaml, strictYamlError, type YamlDocument } from '../codec/parse-yaml.ts'
import { YamlSyntaxError } from '../codec/yaml-reader/source.ts'
import type { ResourceContext } from '../context.ts'
import { lookedUp } from './admission-lookups.ts'
import { textOf } from './body.ts'
import { namespaceRefusal } from './namespace-lifecycle.ts'
import { representationOf } from './representation.ts'
import { respond } from './respond.ts'
import { writeOptions } from './write-options.ts'

/** A configuration that is plain JSON, as most are: every YAML reader takes it for the same, and this one is quicker. */
function plainJson(text: string): YamlDocument | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    const value = parseJson(text)
    return duplicateFields(text).length > 0 ? undefined : { value, json: text, duplicates: [] }
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

function readConfiguration(bytes: Uint8Array): YamlDocument {
  try {
    const text = textOf(bytes)
    const document = plainJson(text) ?? readYaml(text, bytes)
    const { value } = document
    if (value === null || (typeof value === 'object' && !Array.isArray(value) && !isRawNumber(value))) return document
    const why = `json: cannot unmarshal ${goTypeName(value)} into Go value of type map[string]interface {}`
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`)
  } catch (error) {
    if (error instanceof YamlSyntaxError) throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`)
    throw error
  }
}

/** Most characters of a message about keys that are there twice: it travels in a header. */
const maximumStrictCharacters = 4096

const strictText = (duplicates: readonly string[]): string =>
  `error strict decoding YAML: error converting YAML to JSON: ${strictYamlError(duplicates)}`.slice(0, maximumStrictCharacters)

/** Why this apply may not create the object, if it comes to that; undefined where it may. */
async function createRefusal(context: ResourceContext): Promise<ApiError | undefined> {
  const { user, info, target } = context
  const refusal = await namespaceRefusal(context, target.name)
  if (refusal !== undefined) return refusal
  try {
    await requireAuthorization(context.server.authorizer, user, { ...info, verb: 'create' })
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

/** @throws ApiError 400 for a document that is no YAML object, 422 for parameters that do not go together */
export async function apply(context: ResourceContext, output: OutputMediaType, bytes: Uint8Array): Promise<Response> {
  const { server, query, kind, target } = context
  const options = readPatchOptions(query, 'apply')
  const { value, json, duplicates } = readConfiguration(bytes)
  const refusal = target.subresource === '' ? await createRefusal(context) : undefined
  // Of an object that will not be created nothing has to be known.
  const known = refusal === undefined ? await lookedUp(context, value) : { refuseCreate: wireError(refusal) }
  const write = { ...writeOptions(options, context), ...known }
  const told = options.fieldValidation === 'Ignore' ? [] : duplicates
  const strict = options.fieldValidation === 'Strict' && told.length > 0
  const inner = await server.objects.perform(
    server.cluster,
    kind,
    {
      verb: 'apply',
      target,
      write,
      force: options.force === true,
      ...(strict && { strictError: strictText(told) }),
      ...representationOf(output, query),
    },
    json,
  )
  return respond(inner, output, told)
}

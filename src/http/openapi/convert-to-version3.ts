/**
 * Converts OpenAPI 2 to OpenAPI 3.0: for servers that have only the former. Follows ConvertV2ToV3 of k8s.io/kube-openapi, except
 * that shared parameters are not lost.
 */
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { methods } from './model.ts'
import { definitionPrefix, parameterPrefix, type Specification } from './other-document.ts'

type Convert = (value: JsonObject) => JsonObject

const objectAt = (object: JsonObject, key: string): JsonObject | undefined => {
  const value = Object.hasOwn(object, key) ? object[key] : undefined
  return isObject(value) ? value : undefined
}

const textsAt = (object: JsonObject, key: string): readonly string[] => {
  const value = Object.hasOwn(object, key) ? object[key] : undefined
  return (Array.isArray(value) ? value : []).filter((each) => typeof each === 'string')
}

const objectsAt = (object: JsonObject, key: string): readonly JsonObject[] => {
  const value = Object.hasOwn(object, key) ? object[key] : undefined
  return (Array.isArray(value) ? value : []).filter(isObject)
}

/** Returns the fields with these names, and the extensions. */
const picked = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => names.includes(key) || key.startsWith('x-')))

const mapped = (object: JsonObject, convert: Convert): JsonObject =>
  Object.fromEntries(Object.entries(object).flatMap(([key, value]) => (isObject(value) ? [[key, convert(value)] as const] : [])))

/** Converts the schemas in a field of a schema, each by itself or in a list. */
const schemaIn = (value: JsonValue | undefined): JsonValue | undefined =>
  Array.isArray(value) ? value.map((each) => (isObject(each) ? schemaOf(each) : each)) : isObject(value) ? schemaOf(value) : value

/** Fields of a schema that contain schemas. */
const schemaFields = ['items', 'additionalProperties', 'additionalItems', 'allOf'] as const

/** Returns a schema. Beside a reference, OpenAPI 3 ignores all other fields, so that the reference becomes a schema of its own. */
function schemaOf(schema: JsonObject): JsonObject {
  const converted: { [key: string]: JsonValue } = { ...schema }
  const properties = objectAt(schema, 'properties')
  if (properties !== undefined) converted.properties = mapped(properties, schemaOf)
  for (const field of schemaFields) {
    const value = schemaIn(schema[field])
    if (value !== undefined) converted[field] = value
  }
  const { $ref, ...others } = converted
  if (typeof $ref !== 'string') return converted
  const reference = { $ref: $ref.replace(definitionPrefix, '#/components/schemas/') }
  return Object.keys(others).length === 0 ? reference : { ...others, allOf: [reference] }
}

/** Returns the media types with the same schema. */
const contentOf = (types: readonly string[], schema: JsonObject): JsonObject =>
  Object.fromEntries(types.map((type) => [type, { schema: schemaOf(schema) }]))

/** Fields of a parameter that belong to its schema. */
const simpleFields = ['type', 'format', 'uniqueItems'] as const

function parameterOf(parameter: JsonObject): JsonObject {
  const { $ref } = parameter
  if (typeof $ref === 'string') return { $ref: $ref.replace(parameterPrefix, '#/components/parameters/') }
  const schema = objectAt(parameter, 'schema')
  const simple = Object.fromEntries(Object.entries(parameter).filter(([key]) => simpleFields.some((field) => field === key)))
  return {
    ...picked(parameter, ['name', 'in', 'description', 'required', 'allowEmptyValue']),
    schema: schema === undefined ? simple : schemaOf(schema),
  }
}

const isBody = (parameter: JsonObject): boolean => parameter.name === 'body' && objectAt(parameter, 'schema') !== undefined

const responseOf =
  (types: readonly string[]): Convert =>
  (response) => {
    const schema = objectAt(response, 'schema')
    return { ...picked(response, ['description']), ...(schema !== undefined && { content: contentOf(types, schema) }) }
  }

const operationFields = ['tags', 'summary', 'description', 'externalDocs', 'operationId', 'deprecated']

function operationOf(operation: JsonObject): JsonObject {
  const parameters = objectsAt(operation, 'parameters')
  const schema = objectAt(parameters.find(isBody) ?? {}, 'schema')
  const others = parameters.filter((parameter) => !isBody(parameter)).map(parameterOf)
  return {
    ...picked(operation, operationFields),
    ...(others.length > 0 && { parameters: others }),
    ...(schema !== undefined && { requestBody: { content: contentOf(textsAt(operation, 'consumes'), schema) } }),
    responses: mapped(objectAt(operation, 'responses') ?? {}, responseOf(textsAt(operation, 'produces'))),
  }
}

function pathOf(path: JsonObject): JsonObject {
  const operations = methods.flatMap((method) => {
    const operation = objectAt(path, method)
    return operation === undefined ? [] : [[method, operationOf(operation)] as const]
  })
  const parameters = objectsAt(path, 'parameters').map(parameterOf)
  return { ...picked(path, []), ...Object.fromEntries(operations), ...(parameters.length > 0 && { parameters }) }
}

/** Returns the document of version 3. */
export function toVersion3({ info, paths, definitions, parameters }: Specification): JsonObject {
  const shared = mapped(parameters, parameterOf)
  return {
    openapi: '3.0.0',
    info: info ?? {},
    paths: mapped(paths, pathOf),
    components: {
      schemas: mapped(definitions, schemaOf),
      ...(Object.keys(shared).length > 0 && { parameters: shared }),
    },
  }
}

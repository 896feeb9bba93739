/**
 * The OpenAPI 2 documents of other API servers. Only what describes the APIService's own group version is taken from them, as
 * FilterSpecByPaths of k8s.io/kube-openapi/pkg/aggregator does, and only keys that a document of an API has.
 */
import { parseJson } from '../../go/json.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import type { FieldShape, Message } from './message.ts'
import { document2Message } from './version2-messages.ts'

/** The parts of a document that are merged. */
export interface Specification {
  readonly info?: JsonObject
  readonly paths: JsonObject
  readonly definitions: JsonObject
  readonly parameters: JsonObject
}

/** A document of another server. */
export interface OtherDocument {
  /** The group version that it describes, as `apis/GROUP/VERSION`. */
  readonly part: string
  /** Changes with the document. */
  readonly tag: string
  /** A Specification as JSON: it is parsed only when documents are merged. */
  readonly text: string
}

/** The maximum length of the part that is taken from a document. */
const mostCharacters = 2 * 1024 * 1024

const types = { text: 'string', flag: 'boolean', integer: 'number', double: 'number' } as const

function fieldValue(field: FieldShape, value: JsonValue): JsonValue | undefined {
  if (field.repeated && Array.isArray(value)) {
    return value.flatMap((each) => {
      const known = singleValue(field, each)
      return known === undefined ? [] : [known]
    })
  }
  return singleValue(field, value)
}

function singleValue(field: FieldShape, value: JsonValue): JsonValue | undefined {
  if (field.shape === 'message') return knownContent(field.message(), value)
  return field.shape === 'any' || typeof value === types[field.shape] ? value : undefined
}

function knownFields(
  { fields, extensions }: Extract<Message, { fields: object }>,
  key: string,
  value: JsonValue,
): JsonValue | undefined {
  if (extensions !== undefined && key.startsWith('x-')) return value
  const field = Object.hasOwn(fields, key) ? fields[key] : undefined
  return field === undefined ? undefined : fieldValue(field, value)
}

/** Returns the value without keys that the message does not have, and without values of another type. */
function knownContent(message: Message, value: JsonValue): JsonValue | undefined {
  if ('wraps' in message) return fieldValue(message.wraps, value)
  if ('oneOf' in message) {
    const field = message.oneOf(value)
    return field && fieldValue(field, value)
  }
  if (!isObject(value)) return undefined
  const known = (key: string, each: JsonValue): JsonValue | undefined =>
    'fields' in message ? knownFields(message, key, each) : knownContent(message.of(), each)
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      const found = known(key, each)
      return found === undefined ? [] : [[key, found] as const]
    }),
  )
}

/** Visits all references in a value. */
function visitReferences(value: JsonValue, visit: (reference: string) => void): void {
  if (Array.isArray(value)) for (const each of value) visitReferences(each, visit)
  else if (isObject(value)) {
    for (const [key, each] of Object.entries(value)) {
      if (key === '$ref' && typeof each === 'string') visit(each)
      else visitReferences(each, visit)
    }
  }
}

/** The prefixes of references within a document. */
export const definitionPrefix = '#/definitions/'
export const parameterPrefix = '#/parameters/'

const valueAt = (object: JsonObject, key: string): JsonValue | undefined => (Object.hasOwn(object, key) ? object[key] : undefined)

/** Returns the names of the definitions to which the paths lead. */
function usedDefinitions({ paths, definitions, parameters }: Specification): ReadonlySet<string> {
  const [used, seen] = [new Set<string>(), new Set<string>()]
  const visit = (reference: string): void => {
    if (seen.has(reference)) return
    seen.add(reference)
    const isDefinition = reference.startsWith(definitionPrefix)
    const name = reference.slice((isDefinition ? definitionPrefix : parameterPrefix).length)
    if (isDefinition) used.add(name)
    const target = valueAt(isDefinition ? definitions : parameters, name)
    if (target !== undefined) visitReferences(target, visit)
  }
  visitReferences(paths, visit)
  return used
}

/** Returns the specification of some paths, without the definitions that only the other paths need. */
export function filtered(specification: Specification, isKept: (path: string) => boolean): Specification {
  const before = usedDefinitions(specification)
  const paths = Object.fromEntries(Object.entries(specification.paths).filter(([path]) => isKept(path)))
  const after = usedDefinitions({ ...specification, paths })
  const definitions = Object.entries(specification.definitions).filter(([name]) => after.has(name) || !before.has(name))
  return { ...specification, paths, definitions: Object.fromEntries(definitions) }
}

/**
 * Reads the document of another server.
 * @param part `apis/GROUP/VERSION`
 * @returns undefined if the document does not describe this group version, or is too long
 * @throws Error if the text is not JSON
 */
export function readOtherDocument(text: string, part: string): Omit<OtherDocument, 'tag'> | undefined {
  const document = knownContent(document2Message, parseJson(text))
  if (document === undefined || !isObject(document)) return undefined
  const objectAt = (key: string): JsonObject => {
    const value = valueAt(document, key)
    return value !== undefined && isObject(value) ? value : {}
  }
  const whole = {
    info: objectAt('info'),
    paths: objectAt('paths'),
    definitions: objectAt('definitions'),
    parameters: objectAt('parameters'),
  }
  const own = filtered(whole, (path) => path.startsWith(`/${part}/`))
  if (Object.keys(own.paths).length === 0) return undefined
  const kept = JSON.stringify(own)
  return kept.length > mostCharacters ? undefined : { part, text: kept }
}

/** Returns a value with other references. */
export function withReferences(value: JsonValue, renames: ReadonlyMap<string, string>): JsonValue {
  if (Array.isArray(value)) return value.map((each) => withReferences(each, renames))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, each]) => {
    const isReference = key === '$ref' && typeof each === 'string'
    return [key, isReference ? (renames.get(each) ?? each) : withReferences(each, renames)] as const
  })
  return Object.fromEntries(entries)
}

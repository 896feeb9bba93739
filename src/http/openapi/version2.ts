/** Writes the document of OpenAPI 2, which describes the whole API. Follows k8s.io/kube-openapi/pkg/builder. */

import { newestRelease, releaseText } from '../../catalog/lifecycle.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { nextSlice } from '../../meta/slices.ts'
import type { VersionTable } from '../../schema/tables.ts'
import { type KindSchemas, kindSchemas } from './custom-resources.ts'
import type { Part } from './document-paths.ts'
import { kindExtension, registeredVersions } from './group-version-kinds.ts'
import { type Additions, mergeDocuments, noAdditions } from './merge-documents.ts'
import {
  type Content,
  type GroupVersionKind,
  methods,
  type Operation,
  type Parameter,
  type PathItem,
  placeParameters,
  successCodes,
} from './model.ts'
import { schemaName } from './names.ts'
import type { OtherDocument } from './other-document.ts'
import { described, type MakeSchema, Schemas, version2 } from './schemas.ts'
import { SharedParameters } from './shared-parameters.ts'

/** The collectors for parts that the document defines once. */
interface Writing {
  readonly schemas: Schemas
  readonly shared: SharedParameters
}

const parameterOf = ({ name, in: place, type, description }: Parameter): JsonObject => ({
  uniqueItems: true,
  type,
  ...described(description()),
  name,
  in: place,
  ...(place === 'path' && { required: true }),
})

function bodyOf({ body }: Operation, { schemas }: Writing): JsonObject[] {
  if (body === undefined) return []
  return [{ name: 'body', in: 'body', ...(body.required && { required: true }), schema: schemas.refer(body.type) }]
}

const byName = (a: JsonObject, b: JsonObject): number => (`${a.name} ${a.in}` < `${b.name} ${b.in}` ? -1 : 1)

function parametersOf(parameters: readonly Parameter[], body: readonly JsonObject[], { shared }: Writing): JsonObject {
  const all = [...parameters.map(parameterOf), ...body].sort(byName)
  return all.length === 0 ? {} : { parameters: all.map((parameter) => shared.place(parameter)) }
}

/** Returns the kind. Its keys are sorted, except for the group that kube-aggregator itself serves. */
function kindOf({ group, version, kind }: GroupVersionKind): JsonObject {
  return group === 'apiregistration.k8s.io' ? { group, version, kind } : { group, kind, version }
}

function operationOf(operation: Operation, parameters: JsonObject, { schemas }: Writing): JsonObject {
  const { kind, action, content } = operation
  const schemaOf = (body: Content): JsonObject => (body === 'text' ? { type: 'string' } : schemas.refer(body.type))
  const responses = operation.codes.map((code) => [code, { description: successCodes[code], schema: schemaOf(content) }] as const)
  return {
    ...described(operation.description),
    ...(operation.consumes.length > 0 && { consumes: [...operation.consumes] }),
    produces: [...operation.produces],
    schemes: ['https'],
    tags: [operation.tag],
    operationId: operation.id,
    ...parameters,
    responses: { ...Object.fromEntries(responses), '401': { description: 'Unauthorized' } },
    ...(action && { 'x-kubernetes-action': action }),
    ...(kind && { 'x-kubernetes-group-version-kind': kindOf(kind) }),
  }
}

function pathOf(item: PathItem, writing: Writing): JsonObject {
  const { shared, own } = placeParameters(item)
  const operations = methods.flatMap((method) => {
    const operation = item.operations[method]
    if (operation === undefined) return []
    const parameters = parametersOf(own(operation), bodyOf(operation, writing), writing)
    return [[method, operationOf(operation, parameters, writing)] as const]
  })
  return { ...Object.fromEntries(operations), ...parametersOf(shared, [], writing) }
}

/** A part of the document: one of its keys with the value, or with a part of the value if the key occurs again. */
export interface Piece {
  readonly key: string
  readonly value: JsonValue
}

/** The number of schemas that are read, or written, in one step. Schemas of custom resources may be large. */
const readAtOnce = 20
const writtenAtOnce = 100

/** The schemas of custom resources, which are read when they are written, by name. A kind has two entries: object and list. */
type Late = ReadonlyMap<string, { readonly source: KindSchemas; readonly index: number }>

function lateSchemas(parts: readonly Part[]): Late {
  const all = parts.flatMap(({ custom }) => (custom === undefined ? [] : kindSchemas(custom)))
  return new Map(
    all.flatMap((source) => source.references.map((reference, index) => [schemaName(reference), { source, index }] as const)),
  )
}

async function* lateDefinitions(names: readonly string[], late: Late, schemas: Schemas): AsyncGenerator<JsonObject> {
  const read = new Map<KindSchemas, Promise<readonly MakeSchema[]>>()
  for (const name of names) {
    const source = late.get(name)?.source
    if (source !== undefined && !read.has(source)) read.set(source, source.read())
  }
  for (const name of names) {
    const found = late.get(name)
    const make = found === undefined ? undefined : (await read.get(found.source))?.[found.index]
    if (make === undefined) continue
    await nextSlice()
    yield { [name]: make(version2, (reference) => schemas.refer(reference)) }
  }
}

/** Yields all definitions in order. Schemas of custom resources are read and made just before they are yielded. */
async function* definitions(schemas: Schemas, late: Late, added: Additions['definitions']): AsyncGenerator<JsonObject> {
  const all = sorted({ ...schemas.all(), ...Object.fromEntries(added) })
  const isLate = ([name]: readonly [string, unknown]): boolean => late.has(name) && !added.has(name)
  for (let i = 0; i < all.length; ) {
    await nextSlice()
    const first = all[i] ?? ['', {}]
    const end = i + (isLate(first) ? readAtOnce : writtenAtOnce)
    const from = i
    while (i < Math.min(end, all.length) && isLate(all[i] ?? first) === isLate(first)) i++
    const part = all.slice(from, i)
    const names = part.map(([name]) => name)
    if (isLate(first)) yield* lateDefinitions(names, late, schemas)
    else yield Object.fromEntries(part)
  }
}

const sorted = (values: JsonObject): [string, JsonValue][] =>
  (Object.entries(values) as [string, JsonValue][]).sort(([a], [b]) => (a < b ? -1 : 1))

type Tables = ReadonlyMap<string, VersionTable>

function writingOf(parts: readonly Part[], tables: Tables): Writing {
  const versions = registeredVersions()
  const extend = (reference: string): JsonObject => kindExtension(reference, tables, versions)
  const references = parts
    .flatMap(({ custom }) => (custom === undefined ? [] : kindSchemas(custom)))
    .flatMap((source) => source.references)
  const schemas = new Schemas(
    version2,
    { tables, extend },
    references.map((reference) => [reference, () => ({})] as const),
  )
  return { schemas, shared: new SharedParameters() }
}

/** Yields the paths of each part, in the order of all paths. */
async function* pathsOf(parts: readonly Part[], writing: Writing, added: Additions['paths']): AsyncGenerator<JsonObject> {
  const own = new Map(parts.map((part) => [part.name, part] as const))
  // The common beginning of the paths of a part, which no other part has.
  const names = [...new Set([...own.keys(), ...added.keys()])].sort((a, b) => (`${a}/` < `${b}/` ? -1 : 1))
  for (const name of names) {
    await nextSlice()
    const items = (own.get(name)?.paths() ?? []).sort((a, b) => (a.path < b.path ? -1 : 1))
    const paths = Object.fromEntries(items.map((item) => [item.path, pathOf(item, writing)]))
    const more = added.get(name)
    yield more === undefined ? paths : Object.fromEntries(sorted({ ...more, ...paths }))
  }
}

/**
 * Finds out what other servers add. The paths are made once for that, because the names of their definitions decide how those of
 * others are called.
 */
async function additionsOf(parts: readonly Part[], tables: Tables, others: readonly OtherDocument[]): Promise<Additions> {
  if (others.length === 0) return noAdditions
  const writing = writingOf(parts, tables)
  const paths = new Set<string>()
  for await (const some of pathsOf(parts, writing, noAdditions.paths)) for (const path of Object.keys(some)) paths.add(path)
  const definitions = new Map(sorted(writing.schemas.all()))
  const late = lateSchemas(parts)
  const wanted = [...late.keys()].filter((name) => others.some(({ text }) => text.includes(JSON.stringify(name))))
  for await (const some of lateDefinitions(wanted, late, writing.schemas)) {
    for (const [name, schema] of sorted(some)) definitions.set(name, schema)
  }
  await nextSlice()
  return mergeDocuments({ paths, definitions, parameters: new Map(sorted(writing.shared.all())) }, others)
}

/**
 * Yields the document of all parts in pieces.
 * @param tables by `<package>/<version>`
 * @param others the documents of other servers, in the order of their priorities
 */
export async function* pieces2(
  parts: readonly Part[],
  tables: Tables,
  others: readonly OtherDocument[] = [],
): AsyncGenerator<Piece> {
  const added = await additionsOf(parts, tables, others)
  const writing = writingOf(parts, tables)
  yield { key: 'swagger', value: '2.0' }
  yield { key: 'info', value: { title: 'Kubernetes', version: releaseText(parts[0]?.release ?? newestRelease) } }
  for await (const value of pathsOf(parts, writing, added.paths)) yield { key: 'paths', value }
  for await (const value of definitions(writing.schemas, lateSchemas(parts), added.definitions))
    yield { key: 'definitions', value }
  const parameters = { ...writing.shared.all(), ...Object.fromEntries(added.parameters) }
  yield { key: 'parameters', value: Object.fromEntries(sorted(parameters)) }
  const bearer = { description: 'Bearer Token authentication', type: 'apiKey', name: 'authorization', in: 'header' }
  yield { key: 'securityDefinitions', value: { BearerToken: bearer } }
  yield { key: 'security', value: [{ BearerToken: [] }] }
}

/** Returns the document of all parts as one value. */
export async function document2(...of: Parameters<typeof pieces2>): Promise<JsonObject> {
  const document: JsonObject = {}
  for await (const { key, value } of pieces2(...of)) {
    const before = document[key]
    if (isObject(before) && isObject(value)) Object.assign(before, value)
    else document[key] = value
  }
  return document
}

/** Yields the JSON of a document from its pieces. */
export async function* json2(pieces: AsyncIterable<Piece>): AsyncGenerator<string> {
  let open: string | undefined
  let hasMembers = false
  let start = '{'
  for await (const { key, value } of pieces) {
    const text = JSON.stringify(value)
    if (key === open) {
      if (text === '{}') continue
      yield `${hasMembers ? ',' : ''}${text.slice(1, -1)}`
      hasMembers = true
      continue
    }
    const goesOn = isObject(value)
    yield `${open === undefined ? '' : '}'}${start}${JSON.stringify(key)}:${goesOn ? text.slice(0, -1) : text}`
    open = goesOn ? key : undefined
    hasMembers = text !== '{}'
    start = ','
  }
  yield open === undefined ? '}' : '}}'
}

/** The document of OpenAPI 2, which has the whole API. Follows k8s.io/kube-openapi/pkg/builder. */
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { nextSlice } from '../../meta/slices.ts'
import type { VersionTable } from '../../schema/tables.ts'
import { release } from '../version.ts'
import { type KindSchemas, kindSchemas } from './custom-resources.ts'
import type { Part } from './document-paths.ts'
import { kindExtension, registeredVersions } from './group-version-kinds.ts'
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
import { described, type MakeSchema, Schemas, version2 } from './schemas.ts'
import { SharedParameters } from './shared-parameters.ts'

/** What the parts of the document are written into. */
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

/** The keys are in order, but not in what kube-aggregator serves itself, and not as if it were another server's. */
function kindOf({ group, version, kind }: GroupVersionKind): JsonObject {
  return group === 'apiregistration.k8s.io' ? { group, version, kind } : { group, kind, version }
}

function operationOf(operation: Operation, parameters: JsonObject, { schemas }: Writing): JsonObject {
  const { kind, action, content } = operation
  const schemaOf = (of: Content): JsonObject => (of === 'text' ? { type: 'string' } : schemas.refer(of.type))
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

/** A part of the document: a key of it with its value, or with one more part of that value. */
export interface Piece {
  readonly key: string
  readonly value: JsonValue
}

/** Schemas that are asked for, or written, at once: those of custom resources may be large. */
const readAtOnce = 20
const writtenAtOnce = 100

/** What is told of custom resources, by the names of its schemas: two kinds to an entry. */
type Late = ReadonlyMap<string, { readonly of: KindSchemas; readonly index: number }>

function lateSchemas(parts: readonly Part[]): Late {
  const all = parts.flatMap(({ custom }) => (custom === undefined ? [] : kindSchemas(custom)))
  return new Map(all.flatMap((of) => of.references.map((reference, index) => [schemaName(reference), { of, index }] as const)))
}

async function* lateDefinitions(names: readonly string[], late: Late, schemas: Schemas): AsyncGenerator<JsonObject> {
  const read = new Map<KindSchemas, Promise<readonly MakeSchema[]>>()
  for (const name of names) {
    const of = late.get(name)?.of
    if (of !== undefined && !read.has(of)) read.set(of, of.read())
  }
  for (const name of names) {
    const found = late.get(name)
    const make = found === undefined ? undefined : (await read.get(found.of))?.[found.index]
    if (make === undefined) continue
    await nextSlice()
    yield { [name]: make(version2, (reference) => schemas.refer(reference)) }
  }
}

/** All definitions in order. Those of custom resources are made when they are asked for. */
async function* definitions(schemas: Schemas, late: Late): AsyncGenerator<JsonObject> {
  const entries = Object.entries(schemas.all()) as [string, JsonObject][]
  const isLate = ([name]: readonly [string, unknown]): boolean => late.has(name)
  for (let i = 0; i < entries.length; ) {
    await nextSlice()
    const first = entries[i] ?? ['', {}]
    const end = i + (isLate(first) ? readAtOnce : writtenAtOnce)
    const from = i
    while (i < Math.min(end, entries.length) && isLate(entries[i] ?? first) === isLate(first)) i++
    const part = entries.slice(from, i)
    const names = part.map(([name]) => name)
    if (isLate(first)) yield* lateDefinitions(names, late, schemas)
    else yield Object.fromEntries(part)
  }
}

/** The paths of a part begin with its name, and no other's do: they stand together. */
const byPath = (a: Part, b: Part): number => (`${a.name}/` < `${b.name}/` ? -1 : 1)

/** The document of all parts, in pieces as it has them. `tables` by `<package>/<version>`. */
export async function* pieces2(parts: readonly Part[], tables: ReadonlyMap<string, VersionTable>): AsyncGenerator<Piece> {
  const versions = registeredVersions()
  const extend = (reference: string): JsonObject => kindExtension(reference, tables, versions)
  const references = parts
    .flatMap(({ custom }) => (custom === undefined ? [] : kindSchemas(custom)))
    .flatMap((of) => of.references)
  const schemas = new Schemas(
    version2,
    { tables, extend },
    references.map((reference) => [reference, () => ({})] as const),
  )
  const writing = { schemas, shared: new SharedParameters() }
  yield { key: 'swagger', value: '2.0' }
  yield { key: 'info', value: { title: 'Kubernetes', version: `${release.major}.${release.minor}` } }
  for (const part of [...parts].sort(byPath)) {
    await nextSlice()
    const items = part.paths().sort((a, b) => (a.path < b.path ? -1 : 1))
    yield { key: 'paths', value: Object.fromEntries(items.map((item) => [item.path, pathOf(item, writing)])) }
  }
  for await (const value of definitions(schemas, lateSchemas(parts))) yield { key: 'definitions', value }
  yield { key: 'parameters', value: writing.shared.all() }
  const bearer = { description: 'Bearer Token authentication', type: 'apiKey', name: 'authorization', in: 'header' }
  yield { key: 'securityDefinitions', value: { BearerToken: bearer } }
  yield { key: 'security', value: [{ BearerToken: [] }] }
}

/** The same as one value. */
export async function document2(parts: readonly Part[], tables: ReadonlyMap<string, VersionTable>): Promise<JsonObject> {
  const document: JsonObject = {}
  for await (const { key, value } of pieces2(parts, tables)) {
    const before = document[key]
    if (isObject(before) && isObject(value)) Object.assign(before, value)
    else document[key] = value
  }
  return document
}

/** The document's JSON, of its pieces. */
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

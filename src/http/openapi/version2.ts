/** The document of OpenAPI 2, which has the whole API. Follows k8s.io/kube-openapi/pkg/builder. */
import type { JsonObject } from '../../meta/json-value.ts'
import type { VersionTable } from '../../schema/tables.ts'
import { release } from '../version.ts'
import { customSchemas } from './custom-resources.ts'
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
import { described, Schemas, version2 } from './schemas.ts'
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

/** The document of all parts. `tables` by `<package>/<version>`. */
export function document2(parts: readonly Part[], tables: ReadonlyMap<string, VersionTable>): JsonObject {
  const versions = registeredVersions()
  const extend = (reference: string): JsonObject => kindExtension(reference, tables, versions)
  const custom = parts.flatMap((part) => (part.custom === undefined ? [] : customSchemas(part.custom)))
  const schemas = new Schemas(version2, { tables, extend }, custom)
  const writing = { schemas, shared: new SharedParameters() }
  const items = parts.flatMap((part) => part.paths()).sort((a, b) => (a.path < b.path ? -1 : 1))
  const paths = Object.fromEntries(items.map((item) => [item.path, pathOf(item, writing)]))
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: `${release.major}.${release.minor}` },
    paths,
    definitions: schemas.all(),
    parameters: writing.shared.all(),
    securityDefinitions: {
      BearerToken: { description: 'Bearer Token authentication', type: 'apiKey', name: 'authorization', in: 'header' },
    },
    security: [{ BearerToken: [] }],
  }
}

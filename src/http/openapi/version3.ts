/** Writes a document of OpenAPI 3. Follows k8s.io/kube-openapi/pkg/builder3. */
import { releaseText } from '../../catalog/lifecycle.ts'
import type { JsonObject } from '../../go/json-value.ts'
import type { Release, VersionTable } from '../../schema/tables.ts'
import type { Part } from './document-paths.ts'
import { kindExtension, versionsBesideCustom } from './group-version-kinds.ts'
import { type Content, methods, type Operation, type Parameter, type PathItem, placeParameters, successCodes } from './model.ts'
import { described, type MakeSchema, Schemas, version3 } from './schemas.ts'

const parameterOf = ({ name, in: place, type, description }: Parameter): JsonObject => ({
  name,
  in: place,
  ...described(description()),
  ...(place === 'path' && { required: true }),
  schema: { type, uniqueItems: true },
})

const withParameters = (parameters: readonly Parameter[]): JsonObject =>
  parameters.length === 0 ? {} : { parameters: parameters.map(parameterOf) }

function contentOf(mediaTypes: readonly string[], schema: JsonObject): JsonObject {
  return Object.fromEntries([...mediaTypes].sort().map((mediaType) => [mediaType, { schema }]))
}

function operationOf(operation: Operation, parameters: readonly Parameter[], schemas: Schemas): JsonObject {
  const { body, kind, action } = operation
  const schemaOf = (content: Content): JsonObject => (content === 'text' ? { type: 'string' } : schemas.refer(content.type))
  const content = contentOf(operation.produces, schemaOf(operation.content))
  const responses = operation.codes.map((code) => [code, { description: successCodes[code], content }] as const)
  return {
    tags: [operation.tag],
    ...described(operation.description),
    operationId: operation.id,
    ...withParameters(parameters),
    ...(body && {
      requestBody: { content: contentOf(operation.consumes, schemas.refer(body.type)), ...(body.required && { required: true }) },
    }),
    responses: { ...Object.fromEntries(responses), '401': { description: 'Unauthorized' } },
    ...(action && { 'x-kubernetes-action': action }),
    ...(kind && { 'x-kubernetes-group-version-kind': { group: kind.group, version: kind.version, kind: kind.kind } }),
  }
}

function pathOf(item: PathItem, schemas: Schemas): JsonObject {
  const { shared, own } = placeParameters(item)
  const operations = methods.flatMap((method) => {
    const operation = item.operations[method]
    return operation === undefined ? [] : [[method, operationOf(operation, own(operation), schemas)] as const]
  })
  return { ...Object.fromEntries(operations), ...withParameters(shared) }
}

const core = { group: '', version: 'v1' }

/** Returns the group versions in which the common kinds, such as DeleteOptions, are registered. */
function versionsIn({ version, custom }: Part): { readonly group: string; readonly version: string }[] {
  if (custom !== undefined) return versionsBesideCustom()
  return version === undefined || version.group === '' ? [core] : [core, version]
}

/** Returns the `info` and security schemes of a document of built-in kinds. */
const builtIn = (release: Release) => ({
  info: { title: 'Kubernetes', version: releaseText(release) },
  security: {
    securitySchemes: {
      BearerToken: { type: 'apiKey', description: 'Bearer Token authentication', name: 'authorization', in: 'header' },
    },
  },
})
const custom = { info: { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' }, security: {} }

/** Returns the document of a part of the API. `tables` are keyed by `<package>/<version>`; `ofCustom` has the schemas of CRDs. */
export function document3(
  part: Part,
  tables: ReadonlyMap<string, VersionTable>,
  ofCustom: Iterable<readonly [string, MakeSchema]> = [],
): JsonObject {
  const versions = versionsIn(part)
  const extend = (reference: string): JsonObject => kindExtension(reference, tables, versions)
  const schemas = new Schemas(version3, { tables, extend }, ofCustom)
  const items = part.paths().sort((a, b) => (a.path < b.path ? -1 : 1))
  const paths = Object.fromEntries(items.map((item) => [item.path, pathOf(item, schemas)]))
  const { info, security } = part.custom === undefined ? builtIn(part.release) : custom
  return { openapi: '3.0.0', info, paths, components: { ...schemas.component(), ...security } }
}

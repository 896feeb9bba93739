/**
 * Resources of CustomResourceDefinitions: what their documents tell of paths and schemas. Follows
 * pkg/controller/openapi/builder of k8s.io/apiextensions-apiserver.
 */

import { descriptionOf } from '../../catalog/descriptions/describe.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { nextSlice } from '../../meta/slices.ts'
import type { ResourceTable, SubresourceTable, VersionTable } from '../../schema/tables.ts'
import { methods, type Operation, type PathItem } from './model.ts'
import { deleteCollectionParameters, listParameters, nameParameter, resourceVersionParameter } from './parameters.ts'
import { resourcePaths } from './resource-paths.ts'
import { inSchemaOrder } from './schema-order.ts'
import { type Dialect, described, type MakeSchema } from './schemas.ts'

/** A kind of a CustomResourceDefinition in one of its served versions. */
export interface CustomKind {
  /** The plural, as in paths. */
  readonly resource: string
  readonly kind: string
  readonly listKind: string
  readonly namespaced: boolean
  readonly subresources: readonly ('status' | 'scale')[]
  /** Asks for what is large, each time: nobody keeps the schemas of all kinds. */
  read(): Promise<CustomSchemas>
}

/** What a kind's objects are like. */
export interface CustomSchemas {
  /** In each version of OpenAPI; apiVersion, kind and metadata are put in here, and keys in order. */
  readonly v3: JsonObject
  /** Nothing is told of objects where there is none, as of those that keep unknown fields. */
  readonly v2: JsonObject | undefined
  /** Paths of fields, `spec.colour`. */
  readonly selectableFields?: readonly string[]
}

/** A group's version with custom resources. */
export interface CustomVersion {
  /** It has a dot, by which its types are told from those of the tables. */
  readonly group: string
  readonly version: string
  /** Another one whenever something of the kinds is. */
  readonly tag: string
  readonly kinds: readonly CustomKind[]
}

const objects = ['application/json', 'application/yaml'] as const
const patches = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'] as const

/** How what is told of an operation departs from what is told of built-in ones. */
const departures: Partial<Record<NonNullable<Operation['action']>, (built: Operation) => Operation>> = {
  get: (built) => ({ ...built, parameters: [...built.parameters, resourceVersionParameter] }),
  patch: (built) => ({ ...built, consumes: patches, codes: ['200'] }),
  deletecollection: ({ body: _, ...built }) => {
    const ofPath = built.parameters.filter((parameter) => !deleteCollectionParameters.includes(parameter))
    return { ...built, parameters: [...ofPath, ...listParameters] }
  },
}

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update'] as const
const scale = { group: 'autoscaling', version: 'v1', kind: 'Scale' } as const

/** The resource as a table would have it. There is no verb for watching: the paths under /watch are not told of. */
function tableOf({ resource, kind, namespaced, subresources }: CustomKind): ResourceTable {
  const parts = subresources.map(
    (name): SubresourceTable => ({ name, kind: name === 'scale' ? scale : { kind }, verbs: ['get', 'patch', 'update'] }),
  )
  return { resource, singular: '', kind, namespaced, verbs, subresources: parts }
}

function operationOf(operation: Operation, { group, version }: CustomVersion, { kind, listKind }: CustomKind): Operation {
  const { action } = operation
  const built = {
    ...operation,
    consumes: objects,
    produces: objects,
    // Also of a scale it is the kind of the object.
    kind: { group, version, kind },
    parameters: operation.parameters.map((parameter) => (parameter.name === 'name' ? nameParameter(kind) : parameter)),
    content: action === 'list' ? { type: `${group}/${version}.${listKind}` } : operation.content,
  }
  return (action === undefined ? undefined : departures[action])?.(built) ?? built
}

/** The paths of all resources of the version, in no order. `tables` by `<package>/<version>`. */
export function customPaths(tables: ReadonlyMap<string, VersionTable>, version: CustomVersion): PathItem[] {
  return version.kinds.flatMap((kind) => {
    const table = {
      group: version.group,
      version: version.version,
      package: version.group,
      resources: [tableOf(kind)],
      types: {},
    }
    return resourcePaths(tables, table).map(({ path, operations }) => {
      const told = methods.flatMap((method) => {
        const operation = operations[method]
        return operation === undefined ? [] : [[method, operationOf(operation, version, kind)] as const]
      })
      return { path, operations: Object.fromEntries(told) }
    })
  })
}

const conventions = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md'

/** What every object and every list has, described as in the type of the core group. */
function commonProperties(like: string, metadata: JsonObject, { special }: Dialect): Readonly<Record<string, JsonObject>> {
  const text = (field: string): JsonObject => ({ ...described(descriptionOf(like, field)), type: 'string' })
  const reference = special === 'v3' ? { allOf: [metadata] } : metadata
  return {
    apiVersion: text('apiVersion'),
    kind: text('kind'),
    metadata: { ...described(descriptionOf(like, 'metadata')), ...reference },
  }
}

function extensionsOf(version: CustomVersion, { selectableFields = [] }: CustomSchemas, kind: string): JsonObject {
  const fields = selectableFields.map((fieldPath) => ({ fieldPath }))
  return {
    'x-kubernetes-group-version-kind': [{ group: version.group, kind, version: version.version }],
    ...(fields.length > 0 && { 'x-kubernetes-selectable-fields': fields }),
  }
}

function objectSchema(version: CustomVersion, { kind }: CustomKind, schemas: CustomSchemas): MakeSchema {
  return (dialect, refer) => {
    const schema = schemas[dialect.special]
    const extensions = extensionsOf(version, schemas, kind)
    if (schema === undefined) return { type: 'object', ...extensions }
    const common = commonProperties('core/v1.Pod', refer('meta/v1.ObjectMeta'), dialect)
    const properties = { ...(isObject(schema.properties) ? schema.properties : {}), ...common }
    return inSchemaOrder({ ...schema, properties, ...extensions })
  }
}

function listSchema(version: CustomVersion, kind: CustomKind, schemas: CustomSchemas): MakeSchema {
  return (dialect, refer) => {
    const common = commonProperties('core/v1.PodList', refer('meta/v1.ListMeta'), dialect)
    const items = {
      description: `List of ${kind.resource}. More info: ${conventions}`,
      type: 'array',
      items: refer(`${version.group}/${version.version}.${kind.kind}`),
    }
    return inSchemaOrder({
      description: `${kind.listKind} is a list of ${kind.kind}`,
      type: 'object',
      required: ['items'],
      properties: { ...common, items },
      ...extensionsOf(version, schemas, kind.listKind),
    })
  }
}

/** The schemas of a kind's objects and lists, by the references to them. */
export interface KindSchemas {
  readonly references: readonly string[]
  /** One for each reference. */
  read(): Promise<readonly MakeSchema[]>
}

/** Those of all kinds of a version. */
export function kindSchemas(version: CustomVersion): KindSchemas[] {
  return version.kinds.map((kind) => ({
    references: [kind.kind, kind.listKind].map((name) => `${version.group}/${version.version}.${name}`),
    async read() {
      const schemas = await kind.read()
      await nextSlice()
      return [objectSchema(version, kind, schemas), listSchema(version, kind, schemas)]
    },
  }))
}

/** The same, read. */
export async function readSchemas(version: CustomVersion): Promise<[reference: string, make: MakeSchema][]> {
  const read = await Promise.all(
    kindSchemas(version).map(async ({ references, read }) => {
      const makes = await read()
      return references.flatMap((reference, i): [string, MakeSchema][] => {
        const make = makes[i]
        return make === undefined ? [] : [[reference, make]]
      })
    }),
  )
  return read.flat()
}

/**
 * The paths and schemas of custom resources in OpenAPI documents. Follows pkg/controller/openapi/builder of
 * k8s.io/apiextensions-apiserver.
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
  /** Reads the schemas, which are large. Nothing keeps the schemas of all kinds, so every call reads them again. */
  read(): Promise<CustomSchemas>
}

/** The schemas of a kind's objects in both versions of OpenAPI, without apiVersion, kind and metadata, and with unsorted keys. */
export interface CustomSchemas {
  /** In each version of OpenAPI; apiVersion, kind and metadata are put in here, and keys in order. */
  readonly v3: JsonObject
  /** Undefined if version 2 has no schema for the objects, for example because they preserve unknown fields. */
  readonly v2: JsonObject | undefined
  /** Paths of fields, such as `spec.colour`. */
  readonly selectableFields?: readonly string[]
}

/** A group version with custom resources. */
export interface CustomVersion {
  /** Contains a dot, by which its types are distinguished from types of the tables. */
  readonly group: string
  readonly version: string
  /** Changes whenever one of the kinds changes. */
  readonly tag: string
  readonly kinds: readonly CustomKind[]
}

const objects = ['application/json', 'application/yaml'] as const
const patches = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'] as const

/** The differences between the operations of custom resources and those of built-in resources. */
const differences: Partial<Record<NonNullable<Operation['action']>, (built: Operation) => Operation>> = {
  get: (built) => ({ ...built, parameters: [...built.parameters, resourceVersionParameter] }),
  patch: (built) => ({ ...built, consumes: patches, codes: ['200'] }),
  deletecollection: ({ body: _, ...built }) => {
    const ofPath = built.parameters.filter((parameter) => !deleteCollectionParameters.includes(parameter))
    return { ...built, parameters: [...ofPath, ...listParameters] }
  },
}

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update'] as const
const scale = { group: 'autoscaling', version: 'v1', kind: 'Scale' } as const

/** Returns the resource in the form of a table. It has no verb `watch`, because OpenAPI omits the /watch paths of CRDs. */
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
    // The kind of the object, also for the scale subresource.
    kind: { group, version, kind },
    parameters: operation.parameters.map((parameter) => (parameter.name === 'name' ? nameParameter(kind) : parameter)),
    content: action === 'list' ? { type: `${group}/${version}.${listKind}` } : operation.content,
  }
  return (action === undefined ? undefined : differences[action])?.(built) ?? built
}

/** Returns the paths of all resources of the version, unsorted. `tables` are keyed by `<package>/<version>`. */
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
      const operationsOfKind = methods.flatMap((method) => {
        const operation = operations[method]
        return operation === undefined ? [] : [[method, operationOf(operation, version, kind)] as const]
      })
      return { path, operations: Object.fromEntries(operationsOfKind) }
    })
  })
}

const conventions = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md'

/** Returns the properties of every object or list, with the descriptions of a type of the core group (`like`). */
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
  /** Returns one schema for each reference. */
  read(): Promise<readonly MakeSchema[]>
}

/** Returns the schemas of all kinds of a version, not read yet. */
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

/** Reads the schemas of all kinds of a version. */
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

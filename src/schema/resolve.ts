/** Resolves type references of the catalogue's tables to types. */

import type { JsonValue } from '../go/json-value.ts'
import type { FieldTable, TypeTable, VersionTable } from './tables.ts'
import type {
  Alternatives,
  Field,
  List,
  MapOf,
  Scalar,
  ScalarType,
  Special,
  SpecialType,
  Struct,
  Type,
  UntypedReading,
} from './type.ts'

/** Go's built-in types. `int` has 64 bits on kube-apiserver's platforms. */
const SCALARS: ReadonlyMap<string, ScalarType> = new Map([
  ['string', 'string'],
  ['bool', 'boolean'],
  ['int', 'int64'],
  ['int32', 'int32'],
  ['int64', 'int64'],
  ['byte', 'uint8'],
  ['uint8', 'uint8'],
  ['uint16', 'uint16'],
  ['uint32', 'uint32'],
  ['uint64', 'uint64'],
  ['float32', 'float32'],
  ['float64', 'float64'],
  ['time.Duration', 'int64'],
])

/** Types with their own UnmarshalJSON and MarshalJSON. Packages of apiextensions are listed without their version. */
const SPECIALS: ReadonlyMap<string, SpecialType> = new Map([
  ['meta/v1.Time', 'time'],
  ['meta/v1.MicroTime', 'microTime'],
  ['meta/v1.Duration', 'duration'],
  ['meta/v1.FieldsV1', 'fieldsV1'],
  ['resource.Quantity', 'quantity'],
  ['intstr.IntOrString', 'intOrString'],
  ['runtime.RawExtension', 'rawExtension'],
  ['runtime.Object', 'rawExtension'],
  ['interface{}', 'any'],
  ['any', 'any'],
  ['apiextensions.JSON', 'any'],
  ['apiextensions.JSONSchemaPropsOrArray', 'any'],
  ['apiextensions.JSONSchemaPropsOrBool', 'any'],
  ['apiextensions.JSONSchemaPropsOrStringArray', 'any'],
])

/** The shapes that these types allow in place of a schema. Follows marshal.go of apiextensions/v1. */
const alternatives: ReadonlyMap<string, Pick<Alternatives, 'others'> & { list?: (path: string) => string }> = new Map([
  ['JSONSchemaPropsOrArray', { list: (path: string) => `[]${path}.JSONSchemaProps`, others: 'nothing' }],
  ['JSONSchemaPropsOrBool', { others: { booleans: 'kept', error: 'boolean or JSON schema expected' } }],
  ['JSONSchemaPropsOrStringArray', { list: () => '[]string', others: 'nothing' }],
])

/** Packages of apimachinery without tables, whose named types are strings. */
const STRING_PACKAGES: ReadonlySet<string> = new Set(['types', 'intstr', 'runtime'])

/** A reference without its star, and whether it had one. */
interface Dereferenced {
  readonly reference: string
  readonly pointer: boolean
}

function dereference(reference: string): Dereferenced {
  return reference.startsWith('*') ? { reference: reference.slice(1), pointer: true } : { reference, pointer: false }
}

/** `core/v1.Pod` split into its package, Go's name of the package, and the bare name. */
interface QualifiedName {
  readonly package: string
  readonly goPackage: string
  readonly name: string
}

function qualifiedName(reference: string): QualifiedName {
  const dot = reference.lastIndexOf('.')
  const path = reference.slice(0, dot)
  return { package: path, goPackage: path.slice(path.lastIndexOf('/') + 1), name: reference.slice(dot + 1) }
}

/**
 * Resolves Go type references in the notation of schema/tables.ts. A type is made on first use and cached: equal references give
 * the same object, so recursive types are cycles. Throws an Error for a type that is in no table, which is a fault of the tables.
 */
export class TypeResolver {
  private readonly tables: ReadonlyMap<string, VersionTable>
  private readonly resolved = new Map<string, Type>()

  /** @param tables by `<package>/<version>`: `core/v1`, `meta/v1` */
  constructor(tables: ReadonlyMap<string, VersionTable>) {
    this.tables = tables
  }

  /** Returns the type for a reference; a leading star is ignored. */
  resolve(reference: string): Type {
    const bare = dereference(reference).reference
    const cached = this.resolved.get(bare)
    if (cached !== undefined) return cached
    const type = this.make(bare)
    this.resolved.set(bare, type)
    return type
  }

  private make(reference: string): Type {
    if (reference === '[]byte' || reference === '[]uint8') return { kind: 'bytes', go: '[]uint8' }
    if (reference.startsWith('[]')) return this.makeList(reference)
    if (reference.startsWith('map[')) return this.makeMap(reference)
    const scalar = SCALARS.get(reference)
    if (scalar !== undefined) return { kind: scalar, go: reference === 'byte' ? 'uint8' : reference }
    return this.makeNamed(reference)
  }

  private makeList(reference: string): List {
    const { reference: element, pointer } = dereference(reference.slice(2))
    const type = this.resolve(element)
    return {
      kind: 'list',
      go: `[]${pointer ? '*' : ''}${type.go}`,
      element: type,
      elementPointer: pointer,
      listType: 'atomic',
      keys: [],
    }
  }

  private makeMap(reference: string): MapOf {
    const end = reference.indexOf(']')
    const key = this.resolve(reference.slice('map['.length, end))
    const { reference: value, pointer } = dereference(reference.slice(end + 1))
    const type = this.resolve(value)
    return { kind: 'map', go: `map[${key.go}]${pointer ? '*' : ''}${type.go}`, value: type, atomic: false }
  }

  private makeNamed(reference: string): Type {
    const qualified = qualifiedName(reference)
    const go = `${qualified.goPackage}.${qualified.name}`
    const special = SPECIALS.get(reference) ?? SPECIALS.get(`${qualified.package.split('/', 1)[0]}.${qualified.name}`)
    if (special !== undefined) {
      const reading = this.readingOf(qualified)
      return { kind: special, go: qualified.package === '' ? 'interface {}' : go, ...(reading && { reading }) } satisfies Special
    }
    const table = tableOf(this.tables, qualified)
    if (table !== undefined && 'customJson' in table) return { kind: 'any', go }
    if (table !== undefined)
      return 'alias' in table ? this.makeAlias(table, qualified, go) : new StructType(this, table, qualified.name, go)
    if (STRING_PACKAGES.has(qualified.package)) return { kind: 'string', go } satisfies Scalar
    throw new Error(`no table has the type ${reference}`)
  }

  private readingOf({ package: path, name }: QualifiedName): UntypedReading | undefined {
    if (!path.startsWith('apiextensions/')) return undefined
    if (name === 'JSON') return 'untyped'
    const shapes = alternatives.get(name)
    const resolver = this
    return (
      shapes && {
        get object() {
          return resolver.resolve(`${path}.JSONSchemaProps`)
        },
        get list() {
          return shapes.list && resolver.resolve(shapes.list(path))
        },
        others: shapes.others,
      }
    )
  }

  private makeAlias(table: Extract<TypeTable, { alias: string }>, qualified: QualifiedName, go: string): Type {
    const type = this.resolve(table.alias)
    switch (type.kind) {
      case 'struct':
        return type.go === go ? type : renamed(type, qualified.name, go)
      case 'list':
        return { ...type, go, listType: table.listType ?? type.listType }
      case 'map':
        return { ...type, go, atomic: table.mapType === undefined ? type.atomic : table.mapType === 'atomic' }
      default:
        return { ...type, go }
    }
  }
}

function tableOf(tables: ReadonlyMap<string, VersionTable>, qualified: QualifiedName): TypeTable | undefined {
  const types = tables.get(qualified.package)?.types
  return types !== undefined && Object.hasOwn(types, qualified.name) ? types[qualified.name] : undefined
}

/** A struct from a table. Its fields are made on first use. */
class StructType implements Struct {
  readonly kind = 'struct'
  readonly name: string
  readonly go: string
  readonly atomic: boolean
  private readonly resolver: TypeResolver
  private readonly table: Extract<TypeTable, { fields: object }>
  private made: ReadonlyMap<string, Field> | undefined

  constructor(resolver: TypeResolver, table: Extract<TypeTable, { fields: object }>, name: string, go: string) {
    this.resolver = resolver
    this.table = table
    this.name = name
    this.go = go
    this.atomic = (table.structType ?? table.mapType) === 'atomic'
  }

  get fields(): ReadonlyMap<string, Field> {
    this.made ??= new Map(
      Object.entries(this.table.fields).map(([name, table]) => [name, new TableField(this.resolver, name, table)]),
    )
    return this.made
  }
}

/** Returns the same struct with another name, or another granularity for server-side apply; the fields are shared. */
function renamed(type: Struct, name: string, go: string, atomic = type.atomic): Struct {
  return {
    kind: 'struct',
    name,
    go,
    atomic,
    get fields() {
      return type.fields
    },
  }
}

/** A field from a table. Its type is resolved on first use. */
class TableField implements Field {
  readonly name: string
  readonly pointer: boolean
  readonly omitempty: boolean
  readonly omitzero: boolean
  readonly required: boolean
  readonly default: JsonValue | undefined
  readonly patchStrategy: readonly string[]
  readonly patchMergeKey: string
  private readonly resolver: TypeResolver
  private readonly table: FieldTable
  private resolved: Type | undefined

  constructor(resolver: TypeResolver, name: string, table: FieldTable) {
    this.resolver = resolver
    this.table = table
    this.name = name
    this.pointer = table.type.startsWith('*')
    this.omitempty = table.omitempty ?? false
    this.omitzero = table.omitzero ?? false
    this.required = table.required ?? false
    this.default = table.default
    this.patchStrategy = table.patchStrategy === undefined ? [] : table.patchStrategy.split(',')
    this.patchMergeKey = table.patchMergeKey ?? ''
  }

  get type(): Type {
    this.resolved ??= withMarkers(this.resolver.resolve(this.table.type), this.table)
    return this.resolved
  }
}

/** Applies the markers of a field to its type. Without markers, returns the shared type itself. */
function withMarkers(type: Type, table: FieldTable): Type {
  if (type.kind === 'list' && (table.listType !== undefined || table.listMapKeys !== undefined)) {
    return { ...type, listType: table.listType ?? type.listType, keys: table.listMapKeys ?? type.keys }
  }
  const granularity = table.mapType ?? table.structType
  if (granularity === undefined) return type
  const atomic = granularity === 'atomic'
  if (type.kind === 'map') return type.atomic === atomic ? type : { ...type, atomic }
  if (type.kind === 'struct') return type.atomic === atomic ? type : renamed(type, type.name, type.go, atomic)
  return type
}

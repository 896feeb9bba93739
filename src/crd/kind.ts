/** Makes Kinds of the versions of a CustomResourceDefinition, in the same record as built-in kinds. */
import { apiVersionOf, type Conversion, type DefinedKind, type Kind, type KindFacts } from '../catalog/kind.ts'
import { copyOf } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { FieldError } from '../meta/field-error.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { SubresourceTable } from '../schema/tables.ts'
import { type CompiledVersion, compileVersion } from './compiled-version.ts'
import { type CodecParts, CustomCodec, codecPartsOf } from './custom-codec.ts'
import { type CustomResourceDefinition, type DefinitionVersion, isNamespaced, storageVersionOf } from './definition.ts'
import { deprecationOf } from './deprecation.ts'
import { applyDefaults } from './schema/default.ts'
import { typeOfObjects } from './type.ts'
import { objectErrors, statusErrors } from './validate-object.ts'
import { type StoredObjects, unstored, Versions } from './versions.ts'

/** Returns the approximate memory of a parsed definition and its compiled kinds: five times its JSON. */
export const compiledBytes = (characters: number): number => 5 * characters

const verbs: ReadonlySet<string> = new Set(['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'])
const subresourceVerbs = ['get', 'patch', 'update']

function subresourcesOf({ subresources }: DefinitionVersion, kind: string): ReadonlyMap<string, SubresourceTable> {
  const status: SubresourceTable = { name: 'status', kind: { kind }, verbs: subresourceVerbs }
  const scale: SubresourceTable = {
    name: 'scale',
    kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    verbs: subresourceVerbs,
  }
  const present = [...(subresources?.status === undefined ? [] : [status]), ...(subresources?.scale === undefined ? [] : [scale])]
  return new Map(present.map((table) => [table.name, table]))
}

/** Returns the default of `status`, including the defaults of its parts. */
function defaultStatusOf({ node }: CompiledVersion): JsonValue | undefined {
  const status = node?.properties.get('status')
  if (status?.default === undefined) return undefined
  const value = copyOf(status.default)
  applyDefaults(value, status)
  return value
}

function definedKind(definition: CustomResourceDefinition, tag: string, read: CompiledVersion, typed: JsonObject): DefinedKind {
  const { version } = read
  const whole = (object: KubernetesObject): JsonObject => ({ ...typed, ...(object as unknown as JsonObject) })
  return {
    tag,
    versions: definition.spec.versions.map(({ name, subresources = {} }) => ({ name, subresources: Object.keys(subresources) })),
    isUsed: version.served || version.storage,
    hasStatus: version.subresources?.status !== undefined,
    defaultStatus: defaultStatusOf(read),
    scale: read.scale,
    validate: (object): FieldError[] => objectErrors(read, whole(object), undefined, () => {}),
    validateUpdate: (object, old, subresource, warn): FieldError[] =>
      (subresource === '' ? objectErrors : statusErrors)(read, whole(object), whole(old), warn),
    warnings: deprecationOf(definition, version),
  }
}

/** The parts that the kinds of a version share: the served kind and the kind of unconverted stored objects. */
interface KindSource {
  readonly definition: CustomResourceDefinition
  readonly versions: Versions
  readonly read: CompiledVersion
  readonly parts: CodecParts
  readonly defined: DefinedKind
  readonly typeOf: () => KindFacts['type']
}

function sourceOf(definition: CustomResourceDefinition, versions: Versions, read: CompiledVersion): KindSource {
  const { kind } = definition.status?.acceptedNames ?? definition.spec.names
  const apiVersion = apiVersionOf(definition.spec.group, read.version.name)
  let type: KindFacts['type'] | undefined
  return {
    definition,
    versions,
    read,
    parts: codecPartsOf(read, versions, { apiVersion, kind }),
    defined: definedKind(definition, versions.tag, read, { apiVersion, kind }),
    typeOf: () => {
      type ??= typeOfObjects(read.schema)
      return type
    },
  }
}

/**
 * Returns the names and versions of a kind.
 * @param stored the version in which the objects are stored, and the conversion from it
 */
function factsOf(
  source: KindSource,
  stored: { readonly version: string; readonly conversion: Conversion | undefined },
): KindFacts {
  const { definition, read } = source
  const { spec, status } = definition
  const names = status?.acceptedNames ?? spec.names
  const { name: version } = read.version
  const apiVersion = apiVersionOf(spec.group, version)
  const { kind, plural: resource } = names
  const prefixes = { prefix: `${resource}.${spec.group}`, etcdPrefix: `${spec.group}/${resource}` }
  return {
    group: spec.group,
    version,
    apiVersion,
    kind,
    listKind: names.listKind ?? `${kind}List`,
    resource,
    singular: names.singular ?? kind.toLowerCase(),
    namespaced: isNamespaced(spec),
    verbs,
    subresources: subresourcesOf(read.version, kind),
    lifecycle: undefined,
    get type() {
      return source.typeOf()
    },
    typeMetaPrefix: `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},`,
    storage: { group: spec.group, version: stored.version, resource, ...prefixes },
    conversion: stored.conversion,
    definition: source.defined,
  }
}

function kindOf(source: KindSource): Kind {
  const { definition, versions, read, parts } = source
  const storage = storageVersionOf(definition.spec)?.name ?? read.version.name
  const conversion = versions.conversionOf(read)
  const unconverted = new Map<string, Kind>()
  const unconvertedKind = (version: string): Kind => {
    const found = unconverted.get(version) ?? make({ version: version || storage, conversion: undefined })
    unconverted.set(version, found)
    return found
  }
  const make = (stored: Parameters<typeof factsOf>[1]): Kind => {
    const facts = factsOf(source, stored)
    const isConverted = stored.conversion?.remote !== undefined
    const asStored = (version = ''): Kind => (version === '' && !isConverted ? made : unconvertedKind(version))
    const made: Kind = Object.assign(facts, { codec: new CustomCodec(facts, parts), asStored })
    return made
  }
  return make({ version: storage, conversion })
}

/**
 * Makes the kinds of a definition, by version: of the served versions and the storage version. In the collection's own object, of
 * all versions, because managedFields may refer to a version that is no longer served.
 * @param tag identifies the state of the definition
 * @param stored the state of the stored objects, in the collection's own object
 *
 * @example
 * ```ts
 * const kinds = kindsOf(definition, summary.tag)
 * const kind = kinds.get('v1')
 * if (kind === undefined) throw new Error('v1 is not served')
 * console.log(kind.apiVersion, kind.resource, kind.namespaced) // example.com/v1 hosts true
 * ```
 */
export function kindsOf(
  definition: CustomResourceDefinition,
  tag: string,
  stored: StoredObjects = unstored,
): ReadonlyMap<string, Kind> {
  const reads = definition.spec.versions
    .filter((version) => version.served || version.storage || stored !== unstored)
    .map((version) => compileVersion(definition, version))
  const versions = new Versions(definition, tag, reads, stored)
  return new Map(reads.map((read) => [read.version.name, kindOf(sourceOf(definition, versions, read))]))
}

/** A version of a CustomResourceDefinition becomes a Kind, the same record that built-in kinds have. */
import { apiVersionOf, type CustomKind, type Kind, type SelectableField } from '../catalog/kind.ts'
import { isRawNumber } from '../go/json.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { FieldError } from '../meta/field-error.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { SubresourceTable } from '../schema/tables.ts'
import { type CompiledVersion, compileVersion } from './compiled-version.ts'
import { decoderOf } from './decode.ts'
import { type CustomResourceDefinition, type DefinitionVersion, isNamespaced, storageVersionOf } from './definition.ts'
import { deprecationOf } from './deprecation.ts'
import { jsonPathOf } from './json-path.ts'
import { printerOfColumns } from './printer.ts'
import { applyDefaults, copyOf } from './schema/default.ts'
import { typeFields } from './schema/prune.ts'
import { typeOfObjects } from './type.ts'
import { objectErrors, statusErrors } from './validate-object.ts'
import { type StoredObjects, unstored, Versions } from './versions.ts'

const verbs: ReadonlySet<string> = new Set(['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'])
const subresourceVerbs = ['get', 'patch', 'update']

/** A value as Go's fmt.Sprint shows it. */
function shown(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return ''
  return isRawNumber(value) ? value.rawJSON : String(value)
}

function selectableFieldsOf({ selectableFields = [] }: DefinitionVersion): SelectableField[] {
  return selectableFields.map(({ jsonPath }) => {
    const path = jsonPathOf(jsonPath)
    const read = (object: KubernetesObject): string => shown(path?.find(object as unknown as JsonObject)[0])
    return { name: jsonPath.replace(/^\./, ''), valueOf: read }
  })
}

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

/** With the defaults of its parts. */
function defaultStatusOf({ node }: CompiledVersion): JsonValue | undefined {
  const status = node?.properties.get('status')
  if (status?.default === undefined) return undefined
  const value = copyOf(status.default)
  applyDefaults(value, status)
  return value
}

/** Whether the order of keys can put a field before `metadata`: one that the schema names, or any, where all are kept. */
function mayStandBeforeMetadata({ node, decoding }: CompiledVersion): boolean {
  if (node === undefined || decoding.preservesAll || node.preservesUnknown || node.additional !== undefined) return true
  return [...node.properties.keys()].some((name) => name < 'metadata' && !typeFields.has(name))
}

function customOf(
  definition: CustomResourceDefinition,
  versions: Versions,
  read: CompiledVersion,
  typed: JsonObject,
): CustomKind {
  const { version } = read
  const whole = (object: KubernetesObject): JsonObject => ({ ...typed, ...(object as unknown as JsonObject) })
  return {
    tag: versions.tag,
    writtenIn: versions.writtenIn,
    ...(versions.hasWebhook && {
      convert: (object: KubernetesObject, to: string) => versions.attempt(object, version.name, to),
    }),
    decode: decoderOf(read.decoding),
    hasStatus: version.subresources?.status !== undefined,
    defaultStatus: defaultStatusOf(read),
    scale: read.scale,
    validate: (object): FieldError[] => objectErrors(read, whole(object), undefined, () => {}),
    validateUpdate: (object, old, subresource, warn): FieldError[] =>
      (subresource === '' ? objectErrors : statusErrors)(read, whole(object), whole(old), warn),
    hasFieldsBeforeMetadata: mayStandBeforeMetadata(read),
    printer: printerOfColumns(version.additionalPrinterColumns),
    selectableFields: selectableFieldsOf(version),
    warnings: deprecationOf(definition, version),
  }
}

function makeKind(definition: CustomResourceDefinition, versions: Versions, read: CompiledVersion): Kind {
  const { spec, status } = definition
  const names = status?.acceptedNames ?? spec.names
  const { name: version } = read.version
  const apiVersion = apiVersionOf(spec.group, version)
  const { kind, plural: resource } = names
  const stored = storageVersionOf(spec)?.name ?? version
  let type: Kind['type'] | undefined
  const made: Kind = {
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
      type ??= typeOfObjects(read.schema)
      return type
    },
    typeMetaPrefix: `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},`,
    storage: { group: spec.group, version: stored, resource, prefix: `${resource}.${spec.group}` },
    conversion: versions.conversionOf(read, () => made),
    custom: customOf(definition, versions, read, { apiVersion, kind }),
  }
  return made
}

/**
 * The kinds of a definition, by their versions: of those that are served, and of the one in which objects are stored. Where the
 * objects are, of all: who owns what may be said in a version that is no longer served.
 * @param tag of the definition's state
 * @param stored what is known of the objects of the definition where they are
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
  return new Map(reads.map((read) => [read.version.name, makeKind(definition, versions, read)]))
}

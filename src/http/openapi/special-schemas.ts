/** The schemas of types whose JSON does not follow from the fields of a Go struct. */
import type { JsonObject } from '../../go/json-value.ts'
import type { FieldTable, TypeTable } from '../../schema/tables.ts'

/** A schema in both versions of OpenAPI. Version 2 has no unions. */
export interface SpecialSchema {
  readonly v2: JsonObject
  readonly v3: JsonObject
}

const both = (schema: JsonObject): SpecialSchema => ({ v2: schema, v3: schema })
const dateTime = both({ type: 'string', format: 'date-time' })
const object = both({ type: 'object' })
const anything = both({})

/** Keyed by the reference to the type, with the package's version if it has one. */
const schemas: ReadonlyMap<string, SpecialSchema> = new Map([
  ['meta/v1.Time', dateTime],
  ['meta/v1.MicroTime', dateTime],
  ['meta/v1.Duration', both({ type: 'string' })],
  ['meta/v1.FieldsV1', object],
  ['meta/v1.Patch', object],
  ['runtime.RawExtension', object],
  ['runtime.Object', object],
  ['resource.Quantity', { v2: { type: 'string' }, v3: { oneOf: [{ type: 'string' }, { type: 'number' }] } }],
  [
    'intstr.IntOrString',
    {
      v2: { type: 'string', format: 'int-or-string' },
      v3: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
    },
  ],
])

/** Returns the schema of a type with its own JSON encoding, else undefined. `customJson` is the flag of the type's table. */
export function specialSchema(reference: string, customJson: boolean): SpecialSchema | undefined {
  return schemas.get(reference) ?? (customJson ? anything : undefined)
}

const union = (fields: Readonly<Record<string, string>>, discriminator?: string): JsonObject => ({
  ...(discriminator !== undefined && { discriminator }),
  'fields-to-discriminateBy': fields,
})

const localhostProfile = union({ localhostProfile: 'LocalhostProfile' }, 'type')

/** Structs that are unions: their fields by the values of the discriminator. */
const unions: ReadonlyMap<string, JsonObject> = new Map([
  ['core/v1.AppArmorProfile', localhostProfile],
  ['core/v1.PodSchedulingGroup', union({ podGroupName: 'PodGroupName' })],
  ['core/v1.SeccompProfile', localhostProfile],
  ['flowcontrol/v1.LimitResponse', union({ queuing: 'Queuing' }, 'type')],
  ['flowcontrol/v1.PriorityLevelConfigurationSpec', union({ exempt: 'Exempt', limited: 'Limited' }, 'type')],
  ['flowcontrol/v1.Subject', union({ group: 'Group', serviceAccount: 'ServiceAccount', user: 'User' }, 'kind')],
])

/** Returns the extension of a struct that is a union, otherwise an empty object. */
export function unionExtension(reference: string): JsonObject {
  const found = unions.get(reference)
  return found === undefined ? {} : { 'x-kubernetes-unions': [found] }
}

const versionFields = [
  ['major', true],
  ['minor', true],
  ['emulationMajor', false],
  ['emulationMinor', false],
  ['minCompatibilityMajor', false],
  ['minCompatibilityMinor', false],
  ['gitVersion', true],
  ['gitCommit', true],
  ['gitTreeState', true],
  ['buildDate', true],
  ['goVersion', true],
  ['compiler', true],
  ['platform', true],
] as const

/** The type of /version, for which there is no generated table, in the form of a table. */
export const versionInfo: TypeTable = {
  fields: Object.fromEntries(
    versionFields.map(([name, required]): [string, FieldTable] => [
      name,
      required ? { type: 'string', required } : { type: 'string', omitempty: true },
    ]),
  ),
}

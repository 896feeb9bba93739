/** Schemas of types whose JSON is not told by the fields of a Go struct. */
import type { JsonObject } from '../../go/json-value.ts'
import type { FieldTable, TypeTable } from '../../schema/tables.ts'

/** A schema in both versions of OpenAPI, where version 2 has no unions. */
export interface SpecialSchema {
  readonly v2: JsonObject
  readonly v3: JsonObject
}

const both = (schema: JsonObject): SpecialSchema => ({ v2: schema, v3: schema })
const dateTime = both({ type: 'string', format: 'date-time' })
const object = both({ type: 'object' })
const anything = both({})

/** By the reference to the type, with a package's version where it has one. */
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

/** The schema of a type that writes its JSON itself; undefined for others. `customJson` as in the type's table. */
export function specialSchema(reference: string, customJson: boolean): SpecialSchema | undefined {
  return schemas.get(reference) ?? (customJson ? anything : undefined)
}

const union = (fields: Readonly<Record<string, string>>, discriminator?: string): JsonObject => ({
  ...(discriminator !== undefined && { discriminator }),
  'fields-to-discriminateBy': fields,
})

const localhostProfile = union({ localhostProfile: 'LocalhostProfile' }, 'type')

/** Structs that are unions: which of their fields belongs to which value of another. */
const unions: ReadonlyMap<string, JsonObject> = new Map([
  ['core/v1.AppArmorProfile', localhostProfile],
  ['core/v1.PodSchedulingGroup', union({ podGroupName: 'PodGroupName' })],
  ['core/v1.SeccompProfile', localhostProfile],
  ['flowcontrol/v1.LimitResponse', union({ queuing: 'Queuing' }, 'type')],
  ['flowcontrol/v1.PriorityLevelConfigurationSpec', union({ exempt: 'Exempt', limited: 'Limited' }, 'type')],
  ['flowcontrol/v1.Subject', union({ group: 'Group', serviceAccount: 'ServiceAccount', user: 'User' }, 'kind')],
])

/** The extension of a struct that is a union, empty for others. */
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

/** The type of /version, which has no table, in the form of one. */
export const versionInfo: TypeTable = {
  fields: Object.fromEntries(
    versionFields.map(([name, required]): [string, FieldTable] => [
      name,
      required ? { type: 'string', required } : { type: 'string', omitempty: true },
    ]),
  ),
}

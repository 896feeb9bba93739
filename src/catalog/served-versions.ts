/** The tables of the versions that a resource config serves. */
import type { VersionTable } from '../schema/tables.ts'
import { served } from './generated/served.ts'
import { type Priorities, prioritiesOf } from './group-priorities.ts'
import type { Kind } from './kind.ts'
import { tablesIn } from './older-types.ts'
import type { ResourceConfig } from './resource-config.ts'
import { isServedByDefault } from './scheme.ts'

/** Whether a cluster with this config serves a built-in kind. */
export const isServedKind = (kind: Kind, config: ResourceConfig): boolean =>
  config.isDefault ? isServedByDefault(kind) : config.isServed(kind)

/** The table of a version that is served, with its priorities in the release. */
export interface ServedTable extends VersionTable {
  readonly priorities?: Priorities
}

function servedTable(table: VersionTable, config: ResourceConfig): ServedTable | undefined {
  const { group, version } = table
  const resources = table.resources.filter(({ resource }) => config.isServed({ group, version, resource }))
  if (resources.length === 0) return undefined
  // Types are made on first use: a copy of the table must not ask for them.
  const types = { get: () => table.types, enumerable: true }
  const copy = { group, version, package: table.package, resources, priorities: prioritiesOf(group, version, config.release) }
  return Object.defineProperty(copy as typeof copy & Pick<VersionTable, 'types'>, 'types', types)
}

const made = new WeakMap<ResourceConfig, readonly ServedTable[]>()

/** Returns the tables of the served versions with their served resources: the same list for the same config. */
export function servedVersions(config: ResourceConfig): readonly ServedTable[] {
  if (config.isDefault) return served
  const found = made.get(config) ?? [...tablesIn(config.release).values()].flatMap((table) => servedTable(table, config) ?? [])
  made.set(config, found)
  return found
}

/** The deprecation warnings of versions. */
import { compareVersions } from '../meta/version-order.ts'
import type { CustomResourceDefinition, DefinitionVersion } from './definition.ts'

/**
 * Returns the warning of a deprecated version: its deprecationWarning, or a text that names the newest version that is not
 * deprecated.
 */
export function deprecationOf({ spec }: CustomResourceDefinition, version: DefinitionVersion): readonly string[] {
  if (version.deprecated !== true) return []
  if (version.deprecationWarning !== undefined) return [version.deprecationWarning]
  const [newest] = spec.versions
    .filter(({ name, served, deprecated }) => served && deprecated !== true && compareVersions(name, version.name) < 0)
    .map(({ name }) => name)
    .sort(compareVersions)
  const { kind } = spec.names
  const instead = newest === undefined ? '' : `; use ${spec.group}/${newest} ${kind}`
  return [`${spec.group}/${version.name} ${kind} is deprecated${instead}`]
}

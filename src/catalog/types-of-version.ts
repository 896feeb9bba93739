/** Types that two versions of a group have in common. */
import type { TypeTable, VersionTable } from '../schema/tables.ts'

/** The part of a table that names its types. */
type Named = Pick<VersionTable, 'package' | 'version'>

const prefixOf = ({ package: name, version }: Named): string => `${name}/${version}.`

/**
 * Returns types of one version as those of another: references to the version's own types are replaced.
 * @param names the names of the types, separated by spaces
 */
export function typesOfVersion(from: VersionTable, to: Named, names: string): VersionTable['types'] {
  const replaced = (reference: string): string => reference.replaceAll(prefixOf(from), prefixOf(to))
  const ofVersion = (type: TypeTable): TypeTable => {
    if ('alias' in type) return { ...type, alias: replaced(type.alias) }
    const fields = Object.entries(type.fields).map(([name, field]) => [name, { ...field, type: replaced(field.type) }])
    return { ...type, fields: Object.fromEntries(fields) }
  }
  return Object.fromEntries(names.split(' ').map((name) => [name, ofVersion(from.types[name] ?? missing(name, from))]))
}

function missing(name: string, from: VersionTable): never {
  throw new Error(`${prefixOf(from)}${name} does not exist`)
}

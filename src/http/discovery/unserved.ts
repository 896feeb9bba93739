/** What kube-apiserver has and this server does not answer yet: clients are not told of it. */
import type { ResourceTable, VersionTable } from '../../schema/tables.ts'

/** Subresources, as `<resource>/<subresource>` of the core group. */
const unserved: ReadonlySet<string> = new Set(['serviceaccounts/token'])

function served(of: ResourceTable): ResourceTable {
  const subresources = of.subresources?.filter(({ name }) => !unserved.has(`${of.resource}/${name}`))
  return subresources === undefined || subresources.length === of.subresources?.length ? of : { ...of, subresources }
}

/** The tables without what is not served. */
export function withoutUnserved(tables: readonly VersionTable[]): readonly VersionTable[] {
  return tables.map((table) => (table.group === '' ? { ...table, resources: table.resources.map(served) } : table))
}

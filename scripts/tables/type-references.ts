/** Parses the type expressions of the tables. */
import type { TypeTable, VersionTable } from '../../src/schema/tables.ts'

/** Returns the qualified names in a type expression: `map[core/v1.ResourceName]resource.Quantity` has two. */
export function references(expression: string): string[] {
  return expression.match(/[\w/]+\.\w+/g) ?? []
}

/** Splits a reference: `core/v1.Pod` into `core/v1` and `Pod`. */
export function splitReference(reference: string): { table: string; name: string } {
  const dot = reference.lastIndexOf('.')
  return { table: reference.slice(0, dot), name: reference.slice(dot + 1) }
}

/** Returns the name of a table in references and file names: `core/v1`. */
export function tableName(table: Pick<VersionTable, 'package' | 'version'>): string {
  return `${table.package}/${table.version}`
}

/** Returns every type expression of a table. */
export function expressions(table: VersionTable): string[] {
  return Object.values(table.types).flatMap((type) =>
    'alias' in type ? [type.alias] : Object.values(type.fields).map((field) => field.type),
  )
}

/** An index of types by reference over several tables. */
export class TableIndex {
  private readonly tables: ReadonlyMap<string, VersionTable>

  constructor(tables: readonly VersionTable[]) {
    this.tables = new Map(tables.map((table) => [tableName(table), table]))
  }

  /** Returns the type of a reference, or undefined if no table contains it. */
  type(reference: string): TypeTable | undefined {
    const { table, name } = splitReference(reference)
    const types = this.tables.get(table)?.types
    return types !== undefined && Object.hasOwn(types, name) ? types[name] : undefined
  }
}

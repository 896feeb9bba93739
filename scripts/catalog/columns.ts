/** Reads the table columns from the print handlers that k8s.io/kubernetes registers for its internal types. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TypeTable, VersionTable } from '../../src/schema/tables.ts'
import type { TableIndex } from '../tables/type-references.ts'
import type { ColumnRow, FieldOfType } from '../tables/version-text.ts'
import { type GoModules, moduleOf } from './modules.ts'

/** Returns the packages of API types that a Go file imports, by their local names: `apiv1` is `core/v1`, `api` is `core`. */
function importsOf(source: string): ReadonlyMap<string, string> {
  const imports = source.matchAll(/^\t(?:(\w+) )?"k8s\.io\/(?:api|apimachinery\/pkg\/apis|kubernetes\/pkg\/apis)\/([\w/]+)"$/gm)
  return new Map([...imports].map(([, name, path = '']) => [name ?? path.slice(path.lastIndexOf('/') + 1), path]))
}

/** The imports and types by which the expressions of a Go file are resolved. */
interface Scope {
  readonly imports: ReadonlyMap<string, string>
  readonly index: TableIndex
}

/** Returns the type of an expression such as `apiv1.Event{}`, or the type of a field for `apiv1.Event{}.InvolvedObject`. */
function typeOf(expression: string, { imports, index }: Scope): string {
  const [, imported = '', type = '', field] = /^(\w+)\.(\w+)\{\}(?:\.(\w+))?$/.exec(expression) ?? []
  const reference = `${imports.get(imported)}.${type}`
  if (field === undefined) return reference
  const json = `${field.slice(0, 1).toLowerCase()}${field.slice(1)}`
  return structOf(reference, index).fields[json]?.type ?? ''
}

function structOf(reference: string, index: TableIndex): Extract<TypeTable, { fields: object }> {
  const found = index.type(reference)
  if (found === undefined || 'alias' in found) throw new Error(`no type ${reference}`)
  return found
}

function describedBy(expression: string, scope: Scope): string | FieldOfType {
  const [, value, field = ''] = /^([\w.{}]+)\.SwaggerDoc\(\)\["(\w*)"\]$/.exec(expression) ?? []
  if (value === undefined) return JSON.parse(expression) as string
  const reference = typeOf(value, scope)
  // Upstream names some fields that do not exist: their description is empty.
  return field in structOf(reference, scope.index).fields ? [reference, field] : ''
}

/** Matches a part of a column: its name, then a text, a number or the description of a field. */
const PART = /\b(\w+): ("(?:[^"\\]|\\.)*"|\d+|\w+\.\w+\{\}(?:\.\w+)?\.SwaggerDoc\(\)\["\w*"\])/g

function columnOf(line: string, scope: Scope): ColumnRow {
  const parts = new Map([...line.matchAll(PART)].map(([, name = '', value = '']) => [name, value]))
  const text = (part: string): string => JSON.parse(parts.get(part) ?? '""') as string
  const [name, type, format, priority] = [text('Name'), text('Type'), text('Format'), Number(parts.get('Priority') ?? 0)]
  const description = describedBy(parts.get('Description') ?? '""', scope)
  if (priority > 0) return [name, description, type, format, priority]
  if (format !== '') return [name, description, type, format]
  return type === 'string' ? [name, description] : [name, description, type]
}

/** Returns the collection of each internal type: `core.Pod` has `pods`. */
function collectionsOf(tables: readonly VersionTable[]): Map<string, string> {
  return new Map(
    tables.flatMap((table) =>
      table.resources.map(({ kind, resource }) => [
        `${table.package}.${kind}`,
        table.group === '' ? resource : `${resource}.${table.group}`,
      ]),
    ),
  )
}

/** Returns the lines that define columns, each with its variable. Some variables are defined by several appends. */
function definedColumns(source: string): { name: string; line: string }[] {
  const blocks = source.matchAll(/^\t(\w+) :?= (?:append\(\w+, )?\[\]metav1\.TableColumnDefinition\{\n([\s\S]*?)^\t\}/gm)
  return [...blocks].flatMap(([, name = '', body = '']) =>
    [...body.matchAll(/^\t\t\{(.*)\},?$/gm)].map(([, line = '']) => ({ name, line })),
  )
}

/** Collections with the default columns: kube-apiserver never uses those that it registers for them. */
const WITH_DEFAULT_COLUMNS: ReadonlySet<string> = new Set(['csistoragecapacities.storage.k8s.io'])

/**
 * Returns the columns of each collection with columns of its own, and of `scales.autoscaling`, by `<resource>[.<group>]`.
 */
export function columnTables(
  modules: GoModules,
  tables: readonly VersionTable[],
  index: TableIndex,
): ReadonlyMap<string, readonly ColumnRow[]> {
  const folder = join(moduleOf(modules, 'k8s.io/kubernetes').dir, 'pkg/printers/internalversion')
  const source = readFileSync(join(folder, 'printers.go'), 'utf8')
  const scope: Scope = { imports: importsOf(source), index }
  const definitions = Map.groupBy(definedColumns(source), ({ name }) => name)
  const types = new Map(
    [...source.matchAll(/^func (print\w+)\(\w+ \*(\w+)\.(\w+),/gm)].map(([, name, from = '', type]) => [
      name,
      `${scope.imports.get(from)}.${type}`,
    ]),
  )
  const collections = collectionsOf(tables).set('autoscaling.Scale', 'scales.autoscaling')
  const found = [...source.matchAll(/h\.TableHandler\((\w+), (\w+)\)/g)].flatMap(([, definition, handler]) => {
    const collection = collections.get(types.get(handler) ?? '')
    const columns = (definitions.get(definition ?? '') ?? []).map(({ line }) => columnOf(line, scope))
    return collection === undefined || WITH_DEFAULT_COLUMNS.has(collection) ? [] : [[collection, columns] as const]
  })
  return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)))
}

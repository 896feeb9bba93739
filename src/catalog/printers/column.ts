/** Table columns as data, each with a function that returns its cell. */
import type { JsonObject } from '../../go/json-value.ts'
import { authoredDescriptionOf } from '../descriptions/describe.ts'
import { columns } from '../generated/columns.ts'
import { age } from './format.ts'
import type { Cell, Column, Printer, Row, RowCondition } from './printer.ts'
import { child, text } from './read.ts'

/** A field whose description a column has. */
export interface DescribedField {
  readonly type: string
  readonly field: string
}

/** Refers to the description of a field: `fieldOf('core/v1.PodSpec', 'nodeName')`. */
export const fieldOf = (type: string, field: string): DescribedField => ({ type, field })

/** A column and its cell. By default its type is string, without format, with priority 0. Cells are computed from a `Subject`. */
export interface ColumnOf<Subject> extends Partial<Omit<Column, 'description'>> {
  readonly name: string
  /** '' if upstream refers to a field that does not exist. */
  readonly description: string | DescribedField
  readonly cell: (subject: Subject, now: number) => Cell
}

/** The parts of a printer. */
export interface PrinterParts<Subject> {
  readonly columns: readonly ColumnOf<Subject>[]
  /** Returns the subject of the cells, computed once per row. */
  readonly subject: (object: JsonObject) => Subject
  readonly conditions?: (subject: Subject) => readonly RowCondition[] | undefined
  /** The fields of which only the number is read: see Printer. */
  readonly counted?: readonly string[]
  /** The order of rows: see Printer. */
  readonly compare?: (a: JsonObject, b: JsonObject) => number
}

function definitionOf<Subject>(column: ColumnOf<Subject>): Column {
  const { name, type = 'string', format = '', priority = 0, description } = column
  const descriptionText =
    typeof description === 'string' ? description : authoredDescriptionOf(description.type, description.field)
  return { name, type, format, description: descriptionText, priority }
}

/** Returns a printer that computes its cells from a summary of the object. Descriptions are looked up on first use. */
export function summaryPrinter<Subject>(parts: PrinterParts<Subject>): Printer {
  const { columns, subject, conditions, counted, compare } = parts
  let definitions: readonly Column[] | undefined
  return {
    get columns() {
      definitions ??= columns.map(definitionOf)
      return definitions
    },
    row: (object, now): Row => {
      const rowSubject = subject(object)
      const cells = columns.map(({ cell }) => cell(rowSubject, now))
      const found = conditions?.(rowSubject)
      return found === undefined ? { cells } : { cells, conditions: found }
    },
    ...(counted !== undefined && { counted }),
    ...(compare !== undefined && { compare }),
  }
}

type Columns = typeof columns

/** The name of a collection with generated columns: `<resource>[.<group>]`. */
type Collection = keyof Columns

type CellOf<Subject> = ColumnOf<Subject>['cell']

/** The cells of a collection by column name. The columns Name and Age have default cells. */
type Cells<C extends Collection, Subject> = Readonly<
  Record<Exclude<Columns[C][number][0], 'Name' | 'Age'>, CellOf<Subject>> & { Name?: CellOf<Subject>; Age?: CellOf<Subject> }
>

/** Returns the generated columns of a collection, with these cells. */
export function columnsOf<C extends Collection, Subject = JsonObject>(
  collection: C,
  cells: Cells<C, Subject>,
): readonly ColumnOf<Subject>[] {
  const allCells: Readonly<Record<string, unknown>> = { Name: nameOf, Age: ageOf, ...cells }
  const rows: readonly (readonly [string, string | readonly [string, string], Column['type']?, string?, number?])[] =
    columns[collection]
  return rows.map(([title, description, type = 'string', format = '', priority = 0]) => ({
    ...{ name: title, type, format, priority, cell: allCells[title] as CellOf<Subject> },
    description: typeof description === 'string' ? description : fieldOf(...description),
  }))
}

/**
 * The printers of collections whose cells are read from the object itself.
 * @param counted see Printer, by collection
 */
export function printersOf<C extends Collection>(
  cells: { readonly [Each in C]: Cells<Each, JsonObject> },
  counted: { readonly [Each in C]?: readonly string[] } = {},
): Record<C, Printer> {
  const entries = (Object.keys(cells) as C[]).map((each) => [each, printer(columnsOf(each, cells[each]), counted[each])] as const)
  return Object.fromEntries(entries) as Record<C, Printer>
}

/**
 * The printer whose cells are read from the object itself.
 * @param counted see Printer
 */
export function printer(columns: readonly ColumnOf<JsonObject>[], counted?: readonly string[]): Printer {
  return summaryPrinter({ columns, subject: (object) => object, ...(counted !== undefined && { counted }) })
}

/** The description of `metadata.name`. */
export const NAME = fieldOf('meta/v1.ObjectMeta', 'name')

/** The description of `metadata.creationTimestamp`. */
export const CREATED = fieldOf('meta/v1.ObjectMeta', 'creationTimestamp')

/** Returns `metadata.name`. */
export const nameOf = (object: JsonObject): string => text(child(object, 'metadata'), 'name')

/** Returns the age of an object. */
export const ageOf = (object: JsonObject, now: number): string => age(child(object, 'metadata'), 'creationTimestamp', now)

/** The column of the object's name. */
export const name: ColumnOf<JsonObject> = { name: 'Name', format: 'name', description: NAME, cell: nameOf }

/** The column of the object's age. */
export const ageColumn: ColumnOf<JsonObject> = { name: 'Age', description: CREATED, cell: ageOf }

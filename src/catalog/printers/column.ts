/** A table's columns as data: each with what it shows of an object. */
import type { JsonObject } from '../../go/json-value.ts'
import { authoredDescriptionOf } from '../descriptions/describe.ts'
import { age } from './format.ts'
import type { Cell, Column, Printer, Row, RowCondition } from './printer.ts'
import { child, text } from './read.ts'

/** A field whose description a column takes over. */
export interface DescribedField {
  readonly type: string
  readonly field: string
}

/** The description of a field: `fieldOf('core/v1.PodSpec', 'nodeName')`. */
export const fieldOf = (type: string, field: string): DescribedField => ({ type, field })

/** A column and its cell. What is left out is a text, without format, of priority 0. `Subject` is what the cells are read from. */
export interface ColumnOf<Subject> extends Partial<Omit<Column, 'description'>> {
  readonly name: string
  /** '' where upstream names a field that does not exist. */
  readonly description: string | DescribedField
  readonly cell: (subject: Subject, now: number) => Cell
}

/** What a printer is made of. */
export interface PrinterParts<Subject> {
  readonly columns: readonly ColumnOf<Subject>[]
  /** What the cells are read from, found once for each row. */
  readonly subject: (object: JsonObject) => Subject
  readonly conditions?: (subject: Subject) => readonly RowCondition[] | undefined
  /** As Printer's. */
  readonly counted?: readonly string[]
  /** As Printer's. */
  readonly compare?: (a: JsonObject, b: JsonObject) => number
}

function definitionOf<Subject>(column: ColumnOf<Subject>): Column {
  const { name, type = 'string', format = '', priority = 0, description } = column
  const told = typeof description === 'string' ? description : authoredDescriptionOf(description.type, description.field)
  return { name, type, format, description: told, priority }
}

/** The printer whose cells are read from a summary of the object. Descriptions are looked up at their first use. */
export function summaryPrinter<Subject>(parts: PrinterParts<Subject>): Printer {
  const { columns, subject, conditions, counted, compare } = parts
  let definitions: readonly Column[] | undefined
  return {
    get columns() {
      definitions ??= columns.map(definitionOf)
      return definitions
    },
    row: (object, now): Row => {
      const of = subject(object)
      const cells = columns.map(({ cell }) => cell(of, now))
      const found = conditions?.(of)
      return found === undefined ? { cells } : { cells, conditions: found }
    },
    ...(counted !== undefined && { counted }),
    ...(compare !== undefined && { compare }),
  }
}

/**
 * The printer whose cells are read from the object itself.
 * @param counted as Printer's
 */
export function printer(columns: readonly ColumnOf<JsonObject>[], counted?: readonly string[]): Printer {
  return summaryPrinter({ columns, subject: (object) => object, ...(counted !== undefined && { counted }) })
}

/** What `metadata.name` is described as. */
export const NAME = fieldOf('meta/v1.ObjectMeta', 'name')

/** What `metadata.creationTimestamp` is described as. */
export const CREATED = fieldOf('meta/v1.ObjectMeta', 'creationTimestamp')

/** `metadata.name`. */
export const nameOf = (object: JsonObject): string => text(child(object, 'metadata'), 'name')

/** How long an object has been there. */
export const ageOf = (object: JsonObject, now: number): string => age(child(object, 'metadata'), 'creationTimestamp', now)

/** The column of the object's name. */
export const name: ColumnOf<JsonObject> = { name: 'Name', format: 'name', description: NAME, cell: nameOf }

/** The column of the object's age. */
export const ageColumn: ColumnOf<JsonObject> = { name: 'Age', description: CREATED, cell: ageOf }

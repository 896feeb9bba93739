/** The Table of a kind: its columns, and a row per object. Follows Table of meta.k8s.io. */
import type { JsonObject, RawNumber } from '../../go/json-value.ts'

/** A column, with the fields of TableColumnDefinition. Clients print columns of priority above 0 only with wide output. */
export interface Column {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  /** `name` for the column with the object's name, otherwise mostly ''. */
  readonly format: string
  readonly description: string
  readonly priority: number
}

/** The value of a cell; null for no value. */
export type Cell = string | number | boolean | null | RawNumber

/** A condition of a row (TableRowCondition): clients may print `Completed` rows differently. */
export interface RowCondition {
  readonly type: 'Completed'
  readonly status: 'True'
  readonly reason: string
  readonly message: string
}

/** One row, without its object. */
export interface Row {
  /** One cell per column, in the same order. Rows of IPAddresses have one more, as upstream. */
  readonly cells: readonly Cell[]
  readonly conditions?: readonly RowCondition[]
}

/** The columns and rows of a kind's Table. */
export interface Printer {
  readonly columns: readonly Column[]
  /**
   * @param object in the kind's stored version; any object that was valid once
   * @param now milliseconds since the epoch, for ages
   */
  readonly row: (object: JsonObject, now: number) => Row
  /** The members of the object that cells count but whose texts no cell contains, of any length. */
  readonly counted?: readonly string[]
  /** The order of a list's rows, if it differs from that of the list. */
  readonly compare?: (a: JsonObject, b: JsonObject) => number
}

/** Printers by `<resource>[.<group>]`, the names of collections. */
export type Printers = Readonly<Record<string, Printer>>

/** What a Table shows of a kind: columns once, a row for each object. Follows Table of meta.k8s.io. */
import type { JsonObject, RawNumber } from '../../go/json-value.ts'

/** A column, as TableColumnDefinition names its parts. Columns of priority above 0 are shown only when wide output is asked for. */
export interface Column {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  /** `name` for the column that holds the object's name, otherwise mostly ''. */
  readonly format: string
  readonly description: string
  readonly priority: number
}

/** The value of one column; null where there is none. */
export type Cell = string | number | boolean | null | RawNumber

/** A condition of a row, as TableRowCondition: a client may show rows that are `Completed` differently. */
export interface RowCondition {
  readonly type: 'Completed'
  readonly status: 'True'
  readonly reason: string
  readonly message: string
}

/** One row, without the object that stands beside the cells. */
export interface Row {
  /** One for each column, in their order. Of IPAddresses there is one more, as upstream has it. */
  readonly cells: readonly Cell[]
  readonly conditions?: readonly RowCondition[]
}

/** How a kind is shown. */
export interface Printer {
  readonly columns: readonly Column[]
  /**
   * @param object in the version in which the kind is stored; it may be any object that was valid once
   * @param now milliseconds since the epoch: ages are counted from it
   */
  readonly row: (object: JsonObject, now: number) => Row
  /** Members of the object whose strings no cell shows, be they ever so long: cells only count what is in them. */
  readonly counted?: readonly string[]
  /** The order of a list's rows, where it is not that of the list. */
  readonly compare?: (a: JsonObject, b: JsonObject) => number
}

/** Printers by `<resource>[.<group>]`, as collections are named. */
export type Printers = Readonly<Record<string, Printer>>

/** The table columns of custom resources. Follows the table convertor of apiextensions-apiserver. */

import { type ColumnOf, CREATED, name, printer, summaryPrinter } from '../catalog/printers/column.ts'
import type { Cell, Column, Printer } from '../catalog/printers/printer.ts'
import { isRawNumber } from '../go/json.ts'
import { isObject } from '../go/json-object.ts'
import type { JsonValue } from '../go/json-value.ts'
import { goFloat } from '../go/print.ts'
import { parseTime } from '../go/time.ts'
import { humanDuration } from '../meta/human-duration.ts'
import type { TypeMeta } from '../meta/type-meta.ts'
import type { DefinitionColumn } from './definition.ts'
import { jsonPathOf } from './json-path.ts'
import type { JsonPath } from './json-path-find.ts'
import { canonicalText } from './schema/list-types.ts'
import { numberOf } from './schema/numbers.ts'

type CellOf = (value: JsonValue, now: number) => Cell

function textCell(value: JsonValue): string {
  if (typeof value === 'string') return value
  if (value === null) return '<no value>'
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : goFloat(value)
  if (typeof value === 'boolean') return String(value)
  return isRawNumber(value) ? value.rawJSON : canonicalText(value)
}

const isNumber = (value: JsonValue): boolean => typeof value === 'number' || isRawNumber(value)

function dateCell(value: JsonValue, now: number): Cell {
  if (typeof value !== 'string') return null
  if (value === '' || value === 'null') return '<unknown>'
  try {
    return humanDuration(now - Number(parseTime(value).seconds) * 1000)
  } catch {
    return '<invalid>'
  }
}

/** Returns a number as int64. As in Go, a float64 beyond 64 bits becomes the least integer. */
function integerCell(value: JsonValue): Cell {
  const whole = Math.trunc(numberOf(value))
  return whole >= -(2 ** 63) && whole < 2 ** 63 ? whole : -(2 ** 63)
}

/** The cell values by column type; null for a value of another type. */
const cells: Readonly<Record<Column['type'], CellOf>> = {
  string: textCell,
  integer: (value) => (isNumber(value) ? integerCell(value) : null),
  number: (value) => (isNumber(value) ? numberOf(value) : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  date: dateCell,
}

function column(definition: DefinitionColumn, path: JsonPath): ColumnOf<Record<string, JsonValue>> {
  const type = definition.type as Column['type']
  const cell = cells[type] ?? (() => null)
  const text = definition.description ?? ''
  return {
    name: definition.name,
    type,
    format: definition.format ?? '',
    priority: definition.priority ?? 0,
    description: text === '' ? `Custom resource definition column (in JSONPath format): ${definition.jsonPath}` : text,
    cell: (object, now) => {
      const [value] = path.find(object)
      return value === undefined || (value === null && type !== 'string') ? null : cell(value, now)
    },
  }
}

const age: ColumnOf<Record<string, JsonValue>> = {
  name: 'Age',
  type: 'date',
  description: CREATED,
  cell: ({ metadata }, now) => {
    const created = metadata !== undefined && isObject(metadata) ? metadata.creationTimestamp : undefined
    return created === undefined ? null : dateCell(created, now)
  },
}

/**
 * Returns the printer of a version: the name with the definition's columns, or with the age if it has none.
 * @param type the apiVersion and the kind, which columns may show and stored objects do not have
 */
export function printerOfColumns(columns: readonly DefinitionColumn[] | undefined, type: TypeMeta): Printer {
  if (columns === undefined || columns.length === 0) return printer([name, age])
  const paths = columns.map((each) => ({ each, path: jsonPathOf(each.jsonPath) }))
  // As upstream, an invalid path removes its column and all that follow.
  const readable = paths.findIndex(({ path }) => path === undefined)
  const valid = readable < 0 ? paths : paths.slice(0, readable)
  return summaryPrinter({
    columns: [name, ...valid.flatMap(({ each, path }) => (path === undefined ? [] : [column(each, path)]))],
    subject: (object) => ({ ...type, ...object }),
  })
}

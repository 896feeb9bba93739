/** Helpers of the tests of printers. */
import type { JsonObject } from '../../go/json-value.ts'
import { rfc3339Seconds } from '../../go/time.ts'
import { kindOf } from '../scheme.ts'
import type { Cell, Row } from './printer.ts'
import { printerOf } from './printers.ts'

/** The current time of all rows. */
export const NOW = Date.parse('2026-06-01T12:00:00Z')

/** Returns the time this many seconds before NOW. */
export const ago = (seconds: number): string => rfc3339Seconds(NOW - seconds * 1000)

/** Returns the metadata of an object that is a minute old. */
export const metadata = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  creationTimestamp: ago(60),
  ...more,
})

/** Returns the row of an object of `<group>/<version>/<resource>`. */
export function rowOf(path: string, object: JsonObject): Row {
  const [group = '', version = '', resource = ''] = path.split('/')
  const kind = kindOf(group, version, resource)
  if (kind === undefined) throw new Error(`no kind ${path}`)
  return printerOf(kind).row(object, NOW)
}

/** Returns the cells of the row. */
export const cellsOf = (path: string, object: JsonObject): readonly Cell[] => rowOf(path, object).cells

/** Objects as rows of a Table. Follows Table of meta.k8s.io. */
import type { Kind } from '../../catalog/kind.ts'
import { defaultPrinter } from '../../catalog/printers/default-printer.ts'
import type { Printer, Row } from '../../catalog/printers/printer.ts'
import type { MetaVersion, Representation } from '../../clusters/operation.ts'
import { parseJson } from '../../go/json.ts'
import { withShortened } from '../../go/json-bytes.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { escapeHtml } from '../../go/text.ts'
import { type IncludeObject, readIncludeObject } from '../../meta/options.ts'
import { joined } from '../../storage/shared-event.ts'
import { toInternalVersion } from '../stored-object.ts'
import type { Form } from './json.ts'
import { partialObject } from './metadata.ts'

/** What decides about the bytes of a Table. */
interface TableOptions {
  readonly version: MetaVersion
  readonly includeObject: IncludeObject
  /** The columns, or `null` where the client has them. */
  readonly columns: string
}

const goJson = (value: unknown): string => escapeHtml(JSON.stringify(value))

const columnTexts = new WeakMap<Printer, string>()

/** The columns in the order of Go's fields; made once. */
function columnsOf(printer: Printer): string {
  let text = columnTexts.get(printer)
  if (text === undefined) {
    text = goJson(
      printer.columns.map(({ name, type, format, description, priority }) => ({ name, type, format, description, priority })),
    )
    columnTexts.set(printer, text)
  }
  return text
}

/** What stands beside the cells of a row. */
function shownObject(kind: Kind, { version, includeObject }: TableOptions, value: string): string {
  if (includeObject === 'None') return 'null'
  return includeObject === 'Object' ? kind.codec.withTypeMeta(value) : partialObject(kind, version, value)
}

/** A row up to the object that stands beside its cells. */
const rowHead = ({ cells, conditions = [] }: Row): string =>
  `{"cells":${goJson(cells)},${conditions.length === 0 ? '' : `"conditions":${goJson(conditions)},`}"object":`

const rowText = (row: Row, object: string): string => `${rowHead(row)}${object}}`

const encoder = new TextEncoder()

/** Bytes of a string that cells may count; a longer one is not made a text. */
const countedBytes = 1024

/** Writes a row of the bytes of a value; undefined if its cells may show any string of it. */
function longRowOf(kind: Kind, printer: Printer, options: TableOptions, now: () => number): Form['longItem'] {
  if (kind.codec.internalVersion !== 'storage' || kind.conversion !== undefined || printer.counted === undefined) return undefined
  const counted = new Set(printer.counted)
  return (bytes) => {
    const value = withShortened(bytes, counted, countedBytes)
    const row = printer.row(parseJson(value) as JsonObject, now())
    if (options.includeObject !== 'Object') return encoder.encode(rowText(row, shownObject(kind, options, value)))
    return joined([encoder.encode(`${rowHead(row)}${kind.typeMetaPrefix}`), bytes.subarray(1), encoder.encode('}')])
  }
}

function formWith(kind: Kind, printer: Printer, options: TableOptions, now: () => number): Form {
  const { version, includeObject, columns } = options
  const head = (metadata: string): string =>
    `{"kind":"Table","apiVersion":"meta.k8s.io/${version}","metadata":${metadata},"columnDefinitions":${columns},"rows":`
  const row = (object: JsonObject, value: string): string =>
    rowText(printer.row(object, now()), shownObject(kind, options, value))
  const parsed = (value: string): JsonObject => parseJson(toInternalVersion(kind, value)) as JsonObject
  const longItem = longRowOf(kind, printer, options, now)
  return {
    name: `table ${version} ${includeObject || 'Metadata'}${columns === 'null' ? '' : ' with columns'}`,
    object: (value) => {
      const object = parsed(value)
      const { resourceVersion } = object.metadata as { readonly resourceVersion?: string }
      return `${head(JSON.stringify({ resourceVersion }))}[${row(object, value)}]}`
    },
    list: (metadata) => ({ head: head(JSON.stringify(metadata)), end: '}' }),
    // What prints a kind of its own begins with no rows, the default begins with nothing.
    emptyList: printer === defaultPrinter ? 'null' : '[]',
    item: (value) => row(parsed(value), value),
    ...(longItem !== undefined && { longItem }),
  }
}

/**
 * Rows with their cells, and beside them what `includeObject` says. In a watch only the first event has the columns.
 * @throws ApiError 400 for an `includeObject` that there is not
 */
export function tableForm(
  kind: Kind,
  asked: Extract<Representation, { as: 'Table' }>,
  now: () => number,
  printer: Printer = kind.codec.printer,
): Form {
  const includeObject = readIncludeObject(asked.includeObject)
  const form = (included: IncludeObject, columns: string): Form =>
    formWith(kind, printer, { version: asked.version, includeObject: included, columns }, now)
  const columns = columnsOf(printer)
  // The mark of the initial events' end is in an annotation: it is shown to those who want no objects, too.
  const marked = (of: string): Form => form(includeObject === 'None' ? 'Metadata' : includeObject, of)
  return {
    ...form(includeObject, columns),
    initialEventsEnd: marked(columns),
    following: { ...form(includeObject, 'null'), initialEventsEnd: marked('null') },
  }
}

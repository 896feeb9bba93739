/** Table responses. Follows Table of meta.k8s.io. */
import type { Kind } from '../catalog/kind.ts'
import { defaultPrinter } from '../catalog/printers/default-printer.ts'
import type { Printer, Row } from '../catalog/printers/printer.ts'
import { parseJson } from '../go/json.ts'
import { withShortened } from '../go/json-bytes.ts'
import type { JsonObject } from '../go/json-value.ts'
import { escapeHtml } from '../go/text.ts'
import { type IncludeObject, readIncludeObject } from '../meta/options.ts'
import { joined } from '../storage/shared-event.ts'
import type { JsonView } from './json-view.ts'
import { partialObject } from './metadata.ts'
import type { MetaVersion, TableView } from './view.ts'

/** The options on which the bytes of a Table depend. */
interface TableOptions {
  readonly version: MetaVersion
  readonly includeObject: IncludeObject
  /** The JSON of columnDefinitions; `null` for watch events after the first. */
  readonly columns: string
}

/** Converts a stored value to the version that printers read. */
const toInternalVersion = ({ codec }: Kind, value: string): string =>
  codec.internalVersion === 'storage' ? value : codec.toRequestVersion(value)

const goJson = (value: unknown): string => escapeHtml(JSON.stringify(value))

const columnTexts = new WeakMap<Printer, string>()

/** Returns the JSON of columnDefinitions with the fields in Go's order. Cached for each printer. */
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

/** Returns the JSON of `object` of a row, according to includeObject. */
function rowObject(kind: Kind, { version, includeObject }: TableOptions, value: string): string {
  if (includeObject === 'None') return 'null'
  return includeObject === 'Object' ? kind.codec.withTypeMeta(value) : partialObject(kind, version, value)
}

/** Returns the JSON of a row up to its `object`. */
const rowHead = ({ cells, conditions = [] }: Row): string =>
  `{"cells":${goJson(cells)},${conditions.length === 0 ? '' : `"conditions":${goJson(conditions)},`}"object":`

const rowText = (row: Row, object: string): string => `${rowHead(row)}${object}}`

const encoder = new TextEncoder()

/** The longest string, in bytes, that is kept whole for printers that only count values; longer ones are shortened. */
const countedBytes = 1024

/** Returns the writer of rows from the bytes of a value; undefined if cells may show any string of the value. */
function longRowOf(kind: Kind, printer: Printer, options: TableOptions, now: () => number): JsonView['longItem'] {
  if (kind.codec.internalVersion !== 'storage' || kind.conversion !== undefined || printer.counted === undefined) return undefined
  const counted = new Set(printer.counted)
  return (bytes) => {
    const value = withShortened(bytes, counted, countedBytes)
    const row = printer.row(parseJson(value) as JsonObject, now())
    if (options.includeObject !== 'Object') return encoder.encode(rowText(row, rowObject(kind, options, value)))
    return joined([encoder.encode(`${rowHead(row)}${kind.typeMetaPrefix}`), bytes.subarray(1), encoder.encode('}')])
  }
}

function viewWith(kind: Kind, printer: Printer, options: TableOptions, now: () => number): JsonView {
  const { version, includeObject, columns } = options
  const head = (metadata: string): string =>
    `{"kind":"Table","apiVersion":"meta.k8s.io/${version}","metadata":${metadata},"columnDefinitions":${columns},"rows":`
  const row = (object: JsonObject, value: string): string => rowText(printer.row(object, now()), rowObject(kind, options, value))
  const parsed = (value: string): JsonObject => parseJson(toInternalVersion(kind, value)) as JsonObject
  const longItem = longRowOf(kind, printer, options, now)
  const { compare } = printer
  return {
    name: `table ${version} ${includeObject || 'Metadata'}${columns === 'null' ? '' : ' with columns'}`,
    object: (value) => {
      const object = parsed(value)
      const { resourceVersion } = object.metadata as { readonly resourceVersion?: string }
      return `${head(JSON.stringify({ resourceVersion }))}[${row(object, value)}]}`
    },
    list: (metadata) => ({ head: head(JSON.stringify(metadata)), end: '}' }),
    // Printers of kinds begin with an empty slice of rows, the default TableConvertor with nil.
    emptyList: printer === defaultPrinter ? 'null' : '[]',
    item: (value) => row(parsed(value), value),
    ...(longItem !== undefined && { longItem }),
    ...(compare !== undefined && {
      sorted: (objects) =>
        objects
          .map((listed) => ({ listed, object: parsed(listed.value) }))
          .sort((a, b) => compare(a.object, b.object))
          .map(({ listed }) => listed),
    }),
  }
}

/**
 * Returns the view of Tables: rows with cells, and an object according to `includeObject`. In a watch only the first event has
 * columnDefinitions.
 * @throws ApiError 400 for an unknown `includeObject`
 */
export function tableInJson(
  kind: Kind,
  requested: TableView,
  now: () => number,
  printer: Printer = kind.codec.printer,
): JsonView {
  const includeObject = readIncludeObject(requested.includeObject)
  const view = (included: IncludeObject, columns: string): JsonView =>
    viewWith(kind, printer, { version: requested.version, includeObject: included, columns }, now)
  const columns = columnsOf(printer)
  // The bookmark that ends the initial events has an annotation, so its metadata is sent even with includeObject=None.
  const initialEventsEnd = (columnsJson: string): JsonView =>
    view(includeObject === 'None' ? 'Metadata' : includeObject, columnsJson)
  return {
    ...view(includeObject, columns),
    initialEventsEnd: initialEventsEnd(columns),
    following: { ...view(includeObject, 'null'), initialEventsEnd: initialEventsEnd('null') },
  }
}

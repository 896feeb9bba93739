/** What is shown of a kind of which nothing more is known. Follows the default table convertor of kube-apiserver. */
import type { JsonObject, JsonValue } from '../../meta/json-value.ts'
import type { Printer } from './printer.ts'

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')

/** Name and time of creation. */
export const defaultPrinter: Printer = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
    { name: 'Created At', type: 'date', format: '', description: '', priority: 0 },
  ],
  row: (object) => {
    const metadata = (object.metadata ?? {}) as JsonObject
    return { cells: [text(metadata.name), text(metadata.creationTimestamp)] }
  },
}

/** The printer of each kind. A kind that is not listed is shown by its name and the time of its creation. */
import type { Kind } from '../kind.ts'
import { defaultPrinter } from './default-printer.ts'
import type { Printer } from './printer.ts'

/** By `<resource>[.<group>]`, as collections are named. */
const printers: Readonly<Record<string, Printer>> = {}

/** How objects of the kind are shown in a Table. */
export function printerOf(kind: Kind): Printer {
  return printers[kind.storage.prefix] ?? defaultPrinter
}

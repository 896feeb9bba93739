/**
 * The bootstrap objects of control objects as this release makes them, from lab/record/bootstrap-contents.ts. A new control object is
 * filled with them: to decode, validate and track each of them takes more processor time than all else that a start does.
 */
import { inflateRawSync } from 'node:zlib'
import type { Registry } from '../../registry/registry.ts'
import type { SqliteStore } from '../../storage/sqlite-store.ts'
import { contents } from './contents.ts'
import { fill, type Row, rowOf } from './rows.ts'

/** An object of the contents, in the order of their creation. */
type Made = readonly [key: string, labels: string, value: string]

let rows: readonly Row[] | undefined

function madeRows(): readonly Row[] {
  const made = JSON.parse(inflateRawSync(Buffer.from(contents, 'base64')).toString()) as readonly Made[]
  return made.map(([key, labels, value], index) => rowOf({ key, labels, value, resourceVersion: index + 1 }, 0))
}

/** Fills the empty store of a control object. Returns false while the contents are being written. */
export function fillWithMadeObjects(registry: Registry, store: SqliteStore): boolean {
  if (contents.length === 0) return false
  rows ??= madeRows()
  fill(registry, store, rows)
  return true
}

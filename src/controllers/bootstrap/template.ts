/**
 * The contents of a new cluster whose controllers have settled, from which further clusters are made: decoding, validation, managed
 * fields and reconciliation are the same in each. Only clusters with one object are made so. The first of an isolate makes the
 * template.
 */
import type { Kernel } from '../kernel.ts'
import type { CommonParts, PolicyParts } from '../policy-parts.ts'
import { certificateKey } from '../service-account/root-certificate.ts'
import { markerKey } from './marker.ts'
import { fill, type Row, rowOf } from './rows.ts'

interface Template {
  readonly rows: readonly Row[]
  /** Entries of the key-value storage: the work of a start that need not be done again. */
  readonly entries: readonly (readonly [key: string, value: unknown])[]
  readonly parts: CommonParts
}

/** More than a new cluster has of any collection. */
const most = 1000

let template: Template | undefined

/**
 * Keeps the contents of a cluster that no client has used.
 * @param parts its policy
 * @param prefixes the collections of the cluster
 * @param before the resourceVersion of its empty store
 */
export function keepTemplate({ store, ctx }: Kernel, parts: PolicyParts, prefixes: readonly string[], before: number): void {
  if (template !== undefined) return
  const { resourceVersion } = store
  const rows = prefixes
    .flatMap((prefix) => store.list({ prefix: `${prefix}/`, limit: most, resourceVersion }).items)
    .map((stored) => rowOf(stored, before))
    .sort((a, b) => a.version - b.version)
  template = { rows, entries: [markerKey, certificateKey].map((key) => [key, ctx.storage.kv.get(key)]), parts: parts.common() }
}

/** Fills an empty store with the objects of the template, with uids and times of their own. Returns false without a template. */
export function fillFromTemplate({ registry, store, ctx }: Kernel, parts: PolicyParts): boolean {
  if (template === undefined) return false
  fill(registry, store, template.rows)
  for (const [key, value] of template.entries) ctx.storage.kv.put(key, value)
  parts.begin(template.parts)
  return true
}

/**
 * The contents of a new cluster whose controllers have settled, from which further clusters are made: decoding, validation, managed
 * fields and reconciliation are the same in each. Only clusters with one object are made so. The first of an isolate makes the
 * template.
 */
import { rfc3339Seconds } from '../../go/time.ts'
import type { Registry } from '../../registry/registry.ts'
import type { SqliteStore } from '../../storage/sqlite-store.ts'
import type { Stored } from '../../storage/store.ts'
import type { CommonParts, PolicyParts } from '../policy-parts.ts'
import { certificateKey } from '../service-account/root-certificate.ts'
import { markerKey } from './marker.ts'

/** A stored object as a row of JSON, `[version, key, labels, value]`, cut where clusters differ. */
interface Row {
  readonly key: string
  /** Relative to that of the empty store. */
  readonly version: number
  /** The text between the values that differ; it begins after the version. */
  readonly texts: readonly string[]
  readonly values: readonly Differing[]
}

type Differing = 'uid' | 'resourceVersion' | 'time' | 'date'

interface Template {
  readonly rows: readonly Row[]
  /** Entries of the key-value storage: the work of a start that need not be done again. */
  readonly entries: readonly (readonly [key: string, value: unknown])[]
  readonly parts: CommonParts
}

/** The parts of a control object that a template is made of, or that it fills. */
interface TemplateHost {
  readonly registry: Registry
  readonly store: SqliteStore
  readonly storage: Pick<DurableObjectStorage, 'kv'>
  readonly parts: PolicyParts
}

/** More than a new cluster has of any collection. */
const most = 1000

let template: Template | undefined

/** Matches the values that differ, in JSON within a string of JSON. The date tells since when legacy tokens are tracked. */
const differing =
  /(?<=\\"(?<uid>uid)\\":\\")[0-9a-f-]{36}|(?<=\\"(?<version>resourceVersion)\\":\\")\d+|(?<=\\"(?<date>since)\\":\\")\d{4}-\d\d-\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g

function kindOfMatch({ groups = {} }: RegExpMatchArray): Differing {
  if (groups.uid !== undefined) return 'uid'
  if (groups.version !== undefined) return 'resourceVersion'
  return groups.date === undefined ? 'time' : 'date'
}

function rowOf({ key, labels, value, resourceVersion }: Stored, before: number): Row {
  const json = `,${JSON.stringify([key, labels, value]).slice(1)}`
  const matches = [...json.matchAll(differing)]
  const texts: string[] = []
  let end = 0
  for (const match of matches) {
    texts.push(json.slice(end, match.index))
    end = match.index + match[0].length
  }
  return { key, version: resourceVersion - before, texts: [...texts, json.slice(end)], values: matches.map(kindOfMatch) }
}

/**
 * Keeps the contents of a cluster that no client has used.
 * @param prefixes the collections of the cluster
 * @param before the resourceVersion of its empty store
 */
export function keepTemplate({ store, storage, parts }: TemplateHost, prefixes: readonly string[], before: number): void {
  if (template !== undefined) return
  const { resourceVersion } = store
  const rows = prefixes
    .flatMap((prefix) => store.list({ prefix: `${prefix}/`, limit: most, resourceVersion }).items)
    .map((stored) => rowOf(stored, before))
    .sort((a, b) => a.version - b.version)
  template = { rows, entries: [markerKey, certificateKey].map((key) => [key, storage.kv.get(key)]), parts: parts.common() }
}

/** Fills an empty store with the objects of the template, with uids and times of their own. Returns false without a template. */
export function fillFromTemplate({ registry, store, storage, parts }: TemplateHost): boolean {
  if (template === undefined) return false
  const { names, now } = registry
  const before = store.resourceVersion
  const time = rfc3339Seconds(now())
  const date = time.slice(0, 'YYYY-MM-DD'.length)
  const rows = template.rows.map(({ key, version, texts, values }) => {
    const resourceVersion = String(before + version)
    const own: Readonly<Record<Differing, string>> = { uid: names.uid(key), resourceVersion, time, date }
    const [first = '', ...others] = texts
    return `[${resourceVersion}${first}${others.map((text, index) => own[values[index] ?? 'time'] + text).join('')}`
  })
  store.fill(`[${rows.join(',')}]`)
  for (const [key, value] of template.entries) storage.kv.put(key, value)
  parts.begin(template.parts)
  return true
}

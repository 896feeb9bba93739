/** Rows of stored objects, cut at the values that differ between clusters: uids, times and resourceVersions. */
import { rfc3339Seconds } from '../../go/time.ts'
import type { Registry } from '../../registry/registry.ts'
import type { SqliteStore } from '../../storage/sqlite-store.ts'
import type { Stored } from '../../storage/store.ts'

/** A stored object as JSON, `[version, key, labels, value]`. */
export interface Row {
  readonly key: string
  /** Relative to that of the empty store. */
  readonly version: number
  /** The text between the values that differ; it begins after the version. */
  readonly texts: readonly string[]
  readonly values: readonly Differing[]
}

type Differing = 'uid' | 'resourceVersion' | 'time' | 'date'

/** Matches the values that differ, in JSON within a string of JSON. The date tells since when legacy tokens are tracked. */
const differing =
  /(?<=\\"(?<uid>uid)\\":\\")[0-9a-f-]{36}|(?<=\\"(?<version>resourceVersion)\\":\\")\d+|(?<=\\"(?<date>since)\\":\\")\d{4}-\d\d-\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g

function kindOfMatch({ groups = {} }: RegExpMatchArray): Differing {
  if (groups.uid !== undefined) return 'uid'
  if (groups.version !== undefined) return 'resourceVersion'
  return groups.date === undefined ? 'time' : 'date'
}

/** Returns the row of an object. @param before the resourceVersion of its store when that was empty */
export function rowOf({ key, labels, value, resourceVersion }: Stored, before: number): Row {
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

/** Fills an empty store with the rows, sorted by version, with uids and times of their own. */
export function fill({ names, now }: Registry, store: SqliteStore, rows: readonly Row[]): void {
  const before = store.resourceVersion
  const time = rfc3339Seconds(now())
  const date = time.slice(0, 'YYYY-MM-DD'.length)
  const texts = rows.map(({ key, version, texts: [first = '', ...others], values }) => {
    const resourceVersion = String(before + version)
    const own: Readonly<Record<Differing, string>> = { uid: names.uid(key), resourceVersion, time, date }
    return `[${resourceVersion}${first}${others.map((text, index) => own[values[index] ?? 'time'] + text).join('')}`
  })
  store.fill(`[${texts.join(',')}]`)
}

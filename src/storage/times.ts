/**
 * The version of a store at a time. Every change is stored with its time, which never goes back from one version to the next, so
 * the version is found by a binary search and nothing more is written for it.
 */
import { expired } from '../meta/errors.ts'
import { readHistoryStart } from './compaction.ts'
import type { ReadableVersions } from './current.ts'
import { selectChangeUpTo } from './log-statements.ts'

/**
 * Returns the version that a store had at a time: that of its last change at or before it.
 * @param at milliseconds since the epoch
 * @throws ApiError 410 Expired if history does not reach the time
 */
export function versionAt(sql: SqlStorage, { resourceVersion, compactedResourceVersion }: ReadableVersions, at: number): number {
  if (at < readHistoryStart(sql, compactedResourceVersion)) throw expired('The resourceVersion for the provided list is too old.')
  const last = selectChangeUpTo(sql, resourceVersion)
  if (last === undefined || last.at <= at) return resourceVersion
  let [low, high] = [compactedResourceVersion, last.resourceVersion]
  // All changes up to `low` were made at or before the time, the one at `high` after it.
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2)
    const change = selectChangeUpTo(sql, middle)
    if (change !== undefined && change.at > at) high = change.resourceVersion
    else low = middle
  }
  return low
}

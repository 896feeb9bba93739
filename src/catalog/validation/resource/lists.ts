/** Checks of bounded lists and maps. If one is too large, its items are not validated. */
import { utf8Length } from '../../../go/text.ts'
import type { Errors } from '../checks.ts'

/** Checks one item at its field. */
export type CheckItem<T> = (item: T, field: string, errors: Errors) => void

const shortestKey = 16
const ellipsis = '...'

/** Checks a list of at most `most` items. Returns false if it is longer. */
export function checkList<T>(
  items: readonly T[] | null | undefined,
  most: number,
  check: CheckItem<T>,
  field: string,
  errors: Errors,
): boolean {
  const list = items ?? []
  if (list.length > most) {
    errors.tooMany(field, list.length, most)
    return false
  }
  for (const [index, item] of list.entries()) check(item, `${field}[${index}]`, errors)
  return true
}

/** Checks a list of at most `most` items whose keys must be unique. */
export function checkSet<T>(
  items: readonly T[] | null | undefined,
  most: number,
  check: CheckItem<T>,
  keyOf: (item: T) => string,
  field: string,
  errors: Errors,
  reportedKey: (item: T) => unknown = keyOf,
): void {
  if (!checkList(items, most, check, field, errors)) return
  const seen = new Set<string>()
  for (const [index, item] of (items ?? []).entries()) {
    const key = keyOf(item)
    errors.checkUnique(seen, key, `${field}[${index}]`, reportedKey(item))
  }
}

function shortened(key: string, longest: number): string {
  const length = Math.max(longest, shortestKey)
  if (utf8Length(key) <= length) return key
  const rest = length - ellipsis.length
  return `${key.slice(0, (rest + 1) >> 1)}${ellipsis}${key.slice(key.length - (rest >> 1))}`
}

/** Checks a map of at most `most` entries. Long keys are truncated in the paths of errors about their values. */
export function checkMap<T>(
  map: Readonly<Record<string, T>> | null | undefined,
  limits: { readonly most: number; readonly longestKey: number },
  checkKey: CheckItem<string>,
  check: CheckItem<T>,
  field: string,
  errors: Errors,
): void {
  const entries = Object.entries(map ?? {})
  if (entries.length > limits.most) {
    errors.tooMany(field, entries.length, limits.most)
    return
  }
  for (const [key, item] of entries) {
    checkKey(key, field, errors)
    check(item, `${field}[${shortened(key, limits.longestKey)}]`, errors)
  }
}

/** Compares recorded responses of two servers, without what the clock or chance determine. */
import type { JsonObject, JsonValue } from '../../../src/go/json-value.ts'
import { isObject } from './values.ts'

/** Replaces ages, addresses and versions in a text. */
const settledText = (text: string): string =>
  text
    .replace(/^(\d+m)?\d+s$/, '<age>')
    .replace(/\b10\.0\.\d+\.\d+\b/g, '<address>')
    .replace(/resourceVersion: "\d+"/g, 'resourceVersion: <version>')
    .replace(/(resourceVersion: "|in record \(|precondition \()(\d+|<RV>)/g, '$1<version>')
    .replace(/\b3\d{4}\/(TCP|UDP|SCTP)/g, '<port>/$1')
    .replace(/([nN]odePort\\*"?: ?)\d+/g, '$1<port>')
    // kube-apiserver reads the fields in the order of a Go map, up to the first unknown one of each object.
    .replace(/^(failed to create typed patch object \(.*?\): |).*field not declared in schema.*/s, '$1<unknown fields>')
    // The beginning of the body has the random name of the group.
    .replace(/\([0-9a-f]{16,} \.\.\.\)$/, '<bytes>')
    // Managers are in the order of the times at which they wrote, to the second.
    .replace(/managedFields\\*":\[.*?\]\}?(?=,\\*"|\})/g, 'managedFields')
    .replace(/managedFields:\n(?: +- .*\n(?: {4,}.*\n)*)*/g, 'managedFields\n')
    .replace(/errors:\n(?: .*\n?)*/g, (lines) => lines.split('\n').sort().join('\n').trim())

function settled(value: JsonValue | undefined, key = ''): JsonValue {
  if (value === undefined) return null
  if (typeof value === 'string') return key === 'warning' ? sorted(value.split(/, (?=299)/)) : settledText(value)
  if (Array.isArray(value)) {
    const items = value.map((each) => settled(each))
    return key === 'managedFields' ? sorted(items) : items
  }
  if (!isObject(value)) return value
  // kube-apiserver validates the fields of a custom resource in the order of a Go map, and keeps the managers of conflicts in one.
  const isCustom = value.reason === 'Invalid' && isObject(value.details) && String(value.details.group).endsWith('.example.com')
  if (isCustom) return { code: 422, causes: sorted((value.details as JsonObject).causes as JsonValue[]) }
  const isConflict = value.reason === 'Conflict' && isObject(value.details)
  const entries = Object.entries(value).map(([name, each]): [string, JsonValue] => {
    // The version of a list is that of its collection.
    if (name === 'metadata' && isObject(each) && ('items' in value || 'rows' in value)) {
      const { resourceVersion: _version, ...others } = each
      return [name, others]
    }
    if (isConflict && name === 'details' && isObject(each) && Array.isArray(each.causes))
      return [name, { ...each, causes: sorted(each.causes) }]
    return [name, settled(each, name)]
  })
  return Object.fromEntries(entries)
}

const sorted = (items: readonly JsonValue[]): JsonValue[] =>
  items.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))

/** kube-apiserver panicked: any rejection is as good. */
const isPanic = (answer: JsonValue | undefined): boolean => isObject(answer) && 'failed' in answer

function firstDifference(theirs: JsonValue | undefined, ours: JsonValue | undefined, path: string): string | undefined {
  if (JSON.stringify(theirs) === JSON.stringify(ours)) return undefined
  if (Array.isArray(theirs) && Array.isArray(ours)) {
    const longest = Math.max(theirs.length, ours.length)
    for (let at = 0; at < longest; at++) {
      const found = firstDifference(theirs[at], ours[at], `${path}[${at}]`)
      if (found !== undefined) return found
    }
  } else if (isObject(theirs) && isObject(ours)) {
    for (const key of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
      const found = firstDifference(theirs[key], ours[key], `${path}.${key}`)
      if (found !== undefined) return found
    }
  } else if (typeof theirs === 'string' && typeof ours === 'string') {
    let at = 0
    while (theirs[at] === ours[at]) at++
    const from = at < 120 ? 0 : at - 120
    return `${path}\n    theirs: ${theirs.slice(from, at + 400)}\n    ours:   ${ours.slice(from, at + 400)}`
  }
  return `${path}\n    theirs: ${JSON.stringify(theirs)?.slice(0, 700)}\n    ours:   ${JSON.stringify(ours)?.slice(0, 700)}`
}

/** Returns a description of the first difference of two responses; undefined if they are equal. */
export function differenceOf(theirs: JsonValue | undefined, ours: JsonValue | undefined): string | undefined {
  if (isPanic(theirs)) return undefined
  return firstDifference(settled(theirs), settled(ours), '')
}

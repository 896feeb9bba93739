/** Compares an answer with the recorded one. */
import type { JsonObject, JsonValue } from '../src/go/json-value.ts'
import type { Answer } from './scenario.ts'

const identityOf = (entry: JsonValue): string => {
  const { manager, operation, apiVersion, subresource } = entry as JsonObject
  return JSON.stringify([manager, operation, apiVersion, subresource, entry])
}

/** Removes the order of parts that kube-apiserver orders by time or randomly: field managers, warnings. */
function settle(value: JsonValue | undefined, key = ''): JsonValue | undefined {
  if (key === 'warning' && typeof value === 'string')
    return value
      .split(', 299 - ')
      .map((warning) => warning.replace(/^299 - /, ''))
      .sort()
  if (Array.isArray(value)) {
    const items = value.map((each) => settle(each) ?? null)
    return key === 'managedFields' ? items.sort((one, other) => (identityOf(one) < identityOf(other) ? -1 : 1)) : items
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, settle(field, name) ?? null]))
}

const shown = (value: JsonValue | undefined): string | undefined => JSON.stringify(value)?.slice(0, 300)

function firstDifference(recorded: JsonValue | undefined, actual: JsonValue | undefined, path = ''): string | undefined {
  if (JSON.stringify(recorded) === JSON.stringify(actual)) return undefined
  const areBoth = typeof recorded === 'object' && typeof actual === 'object' && recorded !== null && actual !== null
  if (areBoth && Array.isArray(recorded) === Array.isArray(actual)) {
    const [one, other] = [recorded as JsonObject, actual as JsonObject]
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const difference = firstDifference(one[key], other[key], path ? `${path}.${key}` : key)
      if (difference !== undefined) return difference
    }
  }
  return `${path || '(whole)'}: want ${shown(recorded)}, got ${shown(actual)}`
}

/** Returns an answer whose versions have no numbers: one write more or less changes those of all later steps. */
const withoutNumbers = (value: JsonValue | undefined): JsonValue =>
  JSON.parse((JSON.stringify(value) ?? 'null').replace(/<rv:\d+>/g, '<rv>'))

/** The first difference between two answers, and whether they differ in the numbers of resource versions alone. */
export interface Difference {
  readonly text: string
  readonly isNumberAlone: boolean
}

/** Returns the first difference between two answers; undefined if they are equal. */
export function differenceOf(recorded: Answer | undefined, actual: Answer | undefined): Difference | undefined {
  const [one, other] = [settle(recorded), settle(actual)]
  const text = firstDifference(one, other)
  if (text === undefined) return undefined
  return { text, isNumberAlone: firstDifference(withoutNumbers(one), withoutNumbers(other)) === undefined }
}

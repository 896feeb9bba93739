/** Random parts of JSON values. */
import type { JsonObject, JsonValue } from '../../../src/go/json-value.ts'

/** Returns numbers in [0, 1). */
export type Random = () => number

/** Returns a random item. */
export function pick<T>(items: readonly T[], random: Random): T {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined && items.length === 0) throw new Error('there is nothing to pick')
  return item as T
}

export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the value without some of its fields and items; each is left out with the given probability. */
export function part(value: JsonValue, without: number, random: Random): JsonValue {
  if (Array.isArray(value)) {
    return value.filter(() => random() >= without).map((item) => part(item, without, random))
  }
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key]) => isIdentity(key) || random() >= without)
  return Object.fromEntries(kept.map(([key, each]) => [key, part(each, without, random)]))
}

/** Fields that identify items of lists. */
const isIdentity = (key: string): boolean =>
  ['name', 'key', 'type', 'containerPort', 'port', 'mountPath', 'devicePath', 'ip', 'uid', 'topologyKey'].includes(key)

/** A place within a value. */
export interface Place {
  readonly path: readonly (string | number)[]
  readonly value: JsonValue
}

/** Returns all places within a value, parents first. */
export function placesOf(value: JsonValue, path: readonly (string | number)[] = []): Place[] {
  const inner: [string | number, JsonValue][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : isObject(value)
      ? Object.entries(value)
      : []
  return [{ path, value }, ...inner.flatMap(([step, each]) => placesOf(each, [...path, step]))]
}

/** Returns the value with another value at a path; undefined removes it. */
export function replaced(
  whole: JsonValue,
  [step, ...rest]: readonly (string | number)[],
  value: JsonValue | undefined,
): JsonValue {
  if (step === undefined) return value ?? null
  if (Array.isArray(whole)) {
    const items = [...whole]
    const index = Number(step)
    if (rest.length === 0 && value === undefined) items.splice(index, 1)
    else items[index] = rest.length === 0 ? (value ?? null) : replaced(items[index] ?? null, rest, value)
    return items
  }
  const { [step]: at, ...others } = (isObject(whole) ? whole : {}) as Record<string, JsonValue>
  if (rest.length === 0) return value === undefined ? others : { ...(whole as JsonObject), [step]: value }
  return { ...(whole as JsonObject), [step]: replaced(at ?? null, rest, value) }
}

/** Returns the JSON pointer of a path. */
export const pointerOf = (path: readonly (string | number)[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

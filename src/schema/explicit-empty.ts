/**
 * Lists and maps that a body gave and that hold nothing. Neither storage nor answers tell them from what was not given, so
 * decoding leaves them out; kube-apiserver's checks and messages look at what was decoded, and do tell them apart. What was
 * given is therefore kept beside the fields, where only those see it who ask.
 */

/** Where such a list or map was. */
export interface ExplicitEmpty {
  readonly path: readonly (string | number)[]
  readonly shape: 'list' | 'map'
}

/** More of them than anybody means are not told apart any longer. */
export const maximumExplicitEmpty = 100

/** The map that was given and holds nothing: known by its identity, for an empty struct looks the same. */
export const emptyMap: Readonly<Record<string, never>> = Object.freeze({})

const given = Symbol('given empty')

interface Marked {
  [given]?: Readonly<Record<string, ExplicitEmpty['shape']>>
}

function parentOf(object: object, path: ExplicitEmpty['path']): object | undefined {
  let at: unknown = object
  for (const step of path.slice(0, -1)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Record<string | number, unknown>)[step]
  }
  return typeof at === 'object' && at !== null ? at : undefined
}

/** Notes in the object what was given; a copy by spreading has the notes too, JSON has not. */
export function markExplicitEmpty(object: object, found: readonly ExplicitEmpty[]): void {
  for (const { path, shape } of found) {
    const parent: Marked | undefined = parentOf(object, path)
    if (parent !== undefined) parent[given] = { ...parent[given], [String(path.at(-1))]: shape }
  }
}

/** The names of the fields for which the body gave an empty list or map. */
export const namesExplicitEmpty = (object: object): readonly string[] => Object.keys((object as Marked)[given] ?? {})

/** What the body gave for the field where that was an empty list or map; undefined otherwise. */
export function explicitEmpty(object: object, name: string): readonly never[] | Readonly<Record<string, never>> | undefined {
  const shape = (object as Marked)[given]?.[name]
  if (shape === undefined) return undefined
  return shape === 'list' ? [] : emptyMap
}

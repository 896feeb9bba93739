/** Random patches of an object, in the four formats. */
import type { JsonObject, JsonValue } from '../../../src/go/json-value.ts'
import { isObject, type Place, part, pick, placesOf, pointerOf, type Random, replaced } from './values.ts'

/** Removes what identifies the whole object. */
function contentOf(object: JsonObject): JsonObject {
  const { apiVersion: _version, kind: _kind, metadata: _meta, ...content } = object
  return content
}

const someMetadata = (random: Random): JsonObject =>
  random() < 0.5
    ? {}
    : {
        metadata: pick<JsonObject>(
          [
            { labels: { app: 'web', tier: 'front' } },
            { labels: { app: null } },
            { labels: null },
            { annotations: { 'example.com/note': 'x' } },
            { finalizers: ['example.com/hold'] },
            { finalizers: [] },
          ],
          random,
        ),
      }

/** Returns a path below the content of an object. */
function somePlace(content: JsonValue, random: Random): Place | undefined {
  const places = placesOf(content).slice(1)
  return places.length === 0 ? undefined : pick(places, random)
}

/** Makes a merge patch: part of the object, with some fields removed. */
export function mergePatch(object: JsonObject, random: Random): JsonObject {
  let content: JsonValue = part(contentOf(object), 0.7, random)
  for (let removals = Math.floor(random() * 3); removals > 0; removals--) {
    const place = somePlace(contentOf(object), random)
    if (place !== undefined) content = replaced(content, place.path, null)
  }
  return { ...(content as JsonObject), ...someMetadata(random) }
}

type Lists = { readonly name: string; readonly at: readonly (string | number)[]; readonly items: JsonValue[] }

/** Adds a directive of strategic merge patches at a random list or map. */
function withDirective(content: JsonValue, object: JsonObject, random: Random): JsonValue {
  const places = placesOf(contentOf(object)).slice(1)
  const lists: Lists[] = places.flatMap(({ path, value }) =>
    Array.isArray(value) && path.every((step) => typeof step === 'string')
      ? [{ name: String(path.at(-1)), at: path, items: value }]
      : [],
  )
  const maps = places.filter(({ path, value }) => isObject(value) && path.every((step) => typeof step === 'string'))
  if (maps.length > 0 && (lists.length === 0 || random() < 0.4)) {
    const { path, value } = pick(maps, random)
    const keys = Object.keys(value as JsonObject)
    const directive = pick<JsonObject>(
      [
        { $patch: 'replace', ...(part(value, 0.5, random) as JsonObject) },
        { $patch: 'delete' },
        { $patch: 'merge' },
        { $patch: 'odd' },
        { $retainKeys: keys.slice(0, 1) },
        { $retainKeys: keys, ...(part(value, 0.5, random) as JsonObject) },
      ],
      random,
    )
    return replaced(content, path, directive)
  }
  if (lists.length === 0) return content
  return withListDirective(content, pick(lists, random), random)
}

function withListDirective(content: JsonValue, { name, at, items }: Lists, random: Random): JsonValue {
  const parent = at.slice(0, -1)
  const objects = items.filter(isObject)
  const identified = (item: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(item)
        .filter(([, value]) => typeof value !== 'object')
        .slice(0, 2),
    )
  const ways: (() => JsonValue)[] = [
    () => replaced(content, at, [{ $patch: 'replace' }, ...(part(items, 0.3, random) as JsonValue[])]),
    () => replaced(content, at, [{ $patch: 'delete' }]),
    () => replaced(content, at, []),
    () =>
      replaced(content, [...parent, `$setElementOrder/${name}`], objects.length > 0 ? objects.map(identified).reverse() : items),
    () => replaced(content, [...parent, `$deleteFromPrimitiveList/${name}`], items.slice(0, 1)),
    () =>
      replaced(
        content,
        at,
        objects.map((item) => ({ ...identified(item), $patch: 'delete' })),
      ),
    () =>
      replaced(
        content,
        at,
        objects.map((item) => ({ ...item, ...identified(item), $patch: 'replace' })),
      ),
    () => replaced(content, at, [...objects.map((item) => part(item, 0.6, random)), ...objects.slice(0, 1).map(identified)]),
    () =>
      replaced(
        content,
        at,
        objects.map((item) => ({ ...item, name: `${String(item.name)}-2` })),
      ),
  ]
  return pick(ways, random)()
}

/** Makes a strategic merge patch: part of the object, with directives. */
export function strategicPatch(object: JsonObject, random: Random): JsonObject {
  let content: JsonValue = part(contentOf(object), 0.75, random)
  for (let directives = Math.floor(random() * 3); directives > 0; directives--) content = withDirective(content, object, random)
  return { ...(content as JsonObject), ...someMetadata(random) }
}

const oddPaths = [
  '/metadata/labels/app',
  '/metadata/labels',
  '/metadata/annotations',
  '/spec/none',
  '/spec',
  '',
  '/metadata/name',
]

/** Makes a JSON patch of one to three operations. */
export function jsonPatch(object: JsonObject, random: Random): JsonValue[] {
  const places = placesOf(contentOf(object)).slice(1)
  const path = (): string =>
    places.length === 0 || random() < 0.15 ? pick(oddPaths, random) : pointerOf(pick(places, random).path)
  const value = (): JsonValue =>
    places.length === 0 || random() < 0.3 ? pick<JsonValue>(['x', 1, null, {}, [], true], random) : pick(places, random).value
  const operations: (() => JsonObject)[] = [
    () => {
      const place = places.length === 0 ? undefined : pick(places, random)
      return { op: 'replace', path: place === undefined ? '/spec' : pointerOf(place.path), value: place?.value ?? {} }
    },
    () => ({ op: 'replace', path: path(), value: value() }),
    () => ({ op: 'add', path: random() < 0.4 ? `${path().replace(/\/\d+(?=\/|$).*/, '')}/-` : path(), value: value() }),
    () => ({ op: 'remove', path: path() }),
    () => ({ op: 'copy', from: path(), path: path() }),
    () => ({ op: 'move', from: path(), path: path() }),
    () => ({ op: 'test', path: path(), value: value() }),
    () => ({ op: 'add', path: '/metadata/labels', value: { app: 'patched' } }),
  ]
  return Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(operations, random)())
}

/** Makes an applied configuration: part of the object, with labels. */
export function configuration(object: JsonObject, random: Random): JsonObject {
  const { apiVersion, kind, metadata } = object
  const content = part(contentOf(object), pick([0, 0.3, 0.7], random), random)
  const { name } = metadata as JsonObject
  const labels = random() < 0.5 ? {} : { labels: pick<JsonObject>([{ app: 'web' }, { app: 'other', tier: 'back' }], random) }
  return { apiVersion: apiVersion ?? '', kind: kind ?? '', metadata: { name: name ?? '', ...labels }, ...(content as JsonObject) }
}

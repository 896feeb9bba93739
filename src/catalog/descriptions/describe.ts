/** The descriptions of types and fields in Kubernetes' OpenAPI. */
import { inflateRawSync } from 'node:zlib'
import { texts } from './texts.ts'

type TypeTexts = Readonly<Record<string, Readonly<Record<string, string>>>>

const parsed = new Map<string, TypeTexts>()

function packageTexts(name: string): TypeTexts {
  const cached = parsed.get(name)
  if (cached !== undefined) return cached
  const compressed = texts[name]
  const types: TypeTexts =
    compressed === undefined ? {} : JSON.parse(inflateRawSync(Buffer.from(compressed, 'base64')).toString())
  parsed.set(name, types)
  return types
}

function ownText(reference: string, field: string): string | undefined {
  const end = reference.indexOf('.')
  const [types, type] = [packageTexts(reference.slice(0, end)), reference.slice(end + 1)]
  const own = types[type]?.[field]
  if (own !== undefined) return own
  // A version that is not served by default has only the texts that differ from those of newer versions.
  const newer = types['']?.newer ?? ''
  return newer
    .split(' ')
    .filter((name) => name !== '')
    .map((name) => ownText(`${name}.${type}`, field))
    .find((text) => text !== undefined)
}

/** The type whose descriptions of apiVersion and kind apply to every object. */
const ANY_OBJECT = 'meta/v1.Status'

/**
 * Returns the description of a type such as `core/v1.PodSpec`, or of a field of it, including the values of an enumeration; '' if
 * it has none.
 */
export function descriptionOf(reference: string, field = ''): string {
  const own = ownText(reference, field)
  if (own !== undefined) return own
  return field === 'apiVersion' || field === 'kind' ? (ownText(ANY_OBJECT, field) ?? '') : ''
}

/**
 * Returns the description of a field as its author wrote it, without the values of an enumeration, which OpenAPI appends. A field
 * that was added late to a v1beta1 version has the description of v1.
 */
export function authoredDescriptionOf(reference: string, field: string): string {
  const description = descriptionOf(reference, field) || descriptionOf(reference.replace(/v1beta1\./, 'v1.'), field)
  const added = description.indexOf('\n\nPossible enum values:')
  return added < 0 ? description : description.slice(0, added).trimEnd()
}

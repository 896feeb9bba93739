/** Converts the recorded objects with this server's functions. */
import type { Kind } from '../../src/catalog/kind.ts'
import { kindOf } from '../../src/catalog/scheme.ts'
import { parseJson, stringify } from '../../src/go/json.ts'
import { structJson } from '../../src/go/json-sorted.ts'
import type { JsonObject } from '../../src/go/json-value.ts'
import type { KubernetesObject } from '../../src/meta/object-meta.ts'
import { type Question, storedKind } from './questions.ts'

/** An object with the texts to which it is converted: the stored one and that in its own version, or only the latter. */
export interface Conversions extends Pick<Question, 'version' | 'direction' | 'object'> {
  readonly converted: readonly string[]
}

/** Replaces what no test can compare: the present time as a default, and a field of the behavior that 1.24 did not know. */
function comparable(text: string): string {
  return text.replace(/"timeAdded":"[^"]*"/g, '"timeAdded":"2020-01-02T03:04:05Z"').replaceAll(',\\"Tolerance\\":null', '')
}

/** Selects the answers of the oracle. The first one of a stored object lacks the defaults of the storage version. */
export function expectedOf({ version, direction, object }: Question, answers: readonly string[]): Conversions {
  return { version, direction, object, converted: answers.slice(direction === 'toStorage' ? 1 : 0).map(comparable) }
}

/** Reads a line of the recording. */
export function recordedConversions(line: string): Conversions {
  const { version, direction, object, converted } = parseJson(line, 'verbatim') as unknown as Conversions & { object: JsonObject }
  const texts = converted as unknown as readonly JsonObject[]
  return { version, direction, object: stringify(object), converted: texts.map((text) => stringify(text)) }
}

function textIn({ kind, apiVersion }: Kind, object: KubernetesObject): string {
  return comparable(structJson({ kind, apiVersion, ...object }))
}

function decoded(kind: Kind, text: string): KubernetesObject {
  const { apiVersion: _apiVersion, kind: _kind, ...object } = kind.codec.decode(kind.codec.parse(text), text, 'Ignore').object
  kind.codec.nullEmptyLists(object)
  return object
}

/**
 * Returns what `converted` of a recorded object should be.
 * @throws Error if the version is unknown or needs no conversion
 */
export function conversionsOf({ version, direction, object }: Conversions): string[] {
  const [group = '', name = '', resource = ''] = version.split('/')
  const kind = kindOf(group, name, resource)
  if (kind?.conversion === undefined) throw new Error(`no conversion of ${version}`)
  if (direction === 'fromStorage') return [textIn(kind, kind.conversion.fromStorage(decoded(storedKind(kind), object)))]
  const stored = kind.conversion.toStorage(decoded(kind, object))
  return [textIn(storedKind(kind), stored), textIn(kind, kind.conversion.fromStorage(stored))]
}

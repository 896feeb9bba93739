/** Objects of built-in kinds for property tests. */
import type fc from 'fast-check'
import { parseStoredJson, stringify } from '../go/json.ts'
import type { JsonObject } from '../go/json-value.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import { arbitraryOf } from '../schema/arbitrary.fixture.ts'
import type { Kind } from './kind.ts'

/** Generates objects of a kind as they are after a server has read and written them. */
export function storedObjects(kind: Kind): fc.Arbitrary<KubernetesObject> {
  return arbitraryOf(kind.type).map((value) => {
    const text = stringify({ ...(value as JsonObject), metadata: { name: 'a' } })
    const { apiVersion: _apiVersion, kind: _kind, ...object } = kind.codec.decode(kind.codec.parse(text), text, 'Ignore').object
    kind.codec.nullEmptyLists(object)
    return parseStoredJson(kind.codec.encode(object, '')) as unknown as KubernetesObject
  })
}

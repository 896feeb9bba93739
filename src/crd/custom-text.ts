/** The JSON text of custom resources: Go writes them as maps with sorted keys, and only their metadata as a struct. */

import { orderFields } from '../catalog/field-order.ts'
import type { KindFacts } from '../catalog/kind.ts'
import { typeOf } from '../catalog/scheme.ts'
import { parseJson } from '../go/json.ts'
import { membersOf } from '../go/json-members.ts'
import { structJson } from '../go/json-sorted.ts'
import { compareText } from '../go/text.ts'

/** Returns a whole object with apiVersion and kind. Stored values begin with metadata, even if other fields sort before it. */
export function withCustomTypeMeta({ apiVersion, kind }: KindFacts, value: string): string {
  const typed = [
    { key: 'apiVersion', text: `"apiVersion":${JSON.stringify(apiVersion)}` },
    { key: 'kind', text: `"kind":${JSON.stringify(kind)}` },
  ]
  const members = [...typed, ...membersOf(value)].sort((a, b) => compareText(a.key, b.key))
  return `{${members.map(({ text }) => text).join(',')}}`
}

/** Returns the JSON of metadata with the fields in the order of their struct. */
export function inStructOrder(metadata: string): string {
  const value = parseJson(metadata)
  orderFields(typeOf('meta/v1.ObjectMeta'), value)
  return structJson(value)
}

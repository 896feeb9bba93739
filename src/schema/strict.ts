/** The errors of strict decoding: unknown and duplicate fields, in the order of the text. */

import { MAX_STRICT_ERRORS, walkKeys } from '../go/json-duplicates.ts'
import { goQuote } from '../go/text.ts'
import type { Type } from './type.ts'

/**
 * Returns the strict errors of a text for a type, each once and at most 100: `unknown field "spec.foo"`, `duplicate field
 * "metadata.name"`. Skips unknown fields and types that read their own JSON. Walks the whole text, so call it only if `decode`
 * found an unknown field or `duplicateFields` found something. Follows UnmarshalStrict of sigs.k8s.io/json.
 */
export function strictErrors(type: Type, text: string): string[] {
  const errors = new Set<string>()
  walkKeys<Type>(text, type, {
    key: (state, key, seen, path) => {
      const below = state.kind === 'struct' ? state.fields.get(key)?.type : state.kind === 'map' ? state.value : undefined
      if (state.kind === 'struct' && below === undefined) errors.add(`unknown field ${goQuote(path())}`)
      else if (below !== undefined && seen) errors.add(`duplicate field ${goQuote(path())}`)
      return below
    },
    element: (state) => (state.kind === 'list' ? state.element : undefined),
    done: () => errors.size >= MAX_STRICT_ERRORS,
  })
  return [...errors]
}

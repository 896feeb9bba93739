/** The library of JSON patches. */
import { textAt } from '../arguments.ts'
import { declare, global } from '../declarations.ts'
import type { Library } from '../library.ts'

const ESCAPES: Readonly<Record<string, string>> = { '/': '~1', '~': '~0' }

/** Kubernetes' library for JSON patches: escapes property names for JSON pointers. */
export const JSON_PATCH: Library = {
  functions: [
    declare(
      'jsonpatch.escapeKey',
      global('string_jsonpatch_escapeKey_string', 'string', 'string', (args) =>
        textAt(args, 0).replace(/[/~]/g, (character) => ESCAPES[character] ?? ''),
      ),
    ),
  ],
}

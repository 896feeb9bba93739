/** Who a write is by: `?fieldManager=`, or else what the client calls itself. */
import type { FieldError } from '../meta/field-error.ts'
import { invalidValue, tooLong } from '../meta/field-error.ts'
import { utf8Length } from '../meta/go-text.ts'

const MAX_BYTES = 128

/** What Go's unicode.IsPrint holds for printable. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

/** The printable beginning of the User-Agent up to the first `/`, as far as 128 bytes hold it. */
function prefixOfUserAgent(userAgent: string): string {
  let name = ''
  let bytes = 0
  for (const character of userAgent.split('/', 1)[0] ?? '') {
    if (!PRINTABLE.test(character)) continue
    bytes += utf8Length(character)
    if (bytes > MAX_BYTES) break
    name += character
  }
  return name
}

/** The name under which a write is recorded; `unknown` for a client that gives none. Follows managerOrUserAgent. */
export function managerName(fieldManager: string, userAgent: string): string {
  return fieldManager || prefixOfUserAgent(userAgent) || 'unknown'
}

/** What is wrong with `?fieldManager=`, or with the manager of an entry at `field`: more than 128 bytes, or not printable. */
export function validateFieldManager(fieldManager: string, field = 'fieldManager'): FieldError[] {
  const errors: FieldError[] = []
  if (utf8Length(fieldManager) > MAX_BYTES) errors.push(tooLong(field, MAX_BYTES))
  let position = 0
  for (const character of fieldManager) {
    if (!PRINTABLE.test(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
      errors.push(invalidValue(field, fieldManager, `invalid character U+${code} (at position ${position})`))
    }
    position += utf8Length(character)
  }
  return errors
}

/** The reasons why an operation of a JSON Patch cannot be applied, in the words of evanphx/json-patch v4. */
import { goQuote } from '../go/text.ts'
import { ApiError } from '../meta/errors.ts'
import type { PointerTarget } from './json-pointer.ts'

/** The operations that read a place of the document or change it. */
export type Step = 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'

/** The error of a patch. Clients of the patch verb do not learn the reason; those whose object a webhook has patched do. */
export class JsonPatchRefusal extends ApiError {
  /** The library's error. */
  readonly why: string

  constructor(why: string) {
    super(422, 'Invalid', 'the server rejected our request due to an error in our request', {})
    this.why = why
  }
}

const missing = 'missing value'

/** The reasons if the member `path` or `from` of an operation is missing. */
export function memberMissing(step: Step, member: 'path' | 'from'): string {
  if (member === 'from') return `${step} operation failed to decode from: operation, missing from field: ${missing}`
  const isShort = step === 'add' || step === 'remove' || step === 'copy'
  return `${step} operation failed to decode path: ${isShort ? '' : 'operation missing path field: '}${missing}`
}

/** The reasons if the container of a place is missing. */
export function containerMissing(step: Step, member: 'path' | 'from', pointer: string): string {
  if (step === 'test') return `test operation does not apply: is missing path: ${pointer}: ${missing}`
  const destination = member === 'from' ? 'from' : 'destination'
  if (step === 'move' || step === 'copy')
    return `${step} operation does not apply: doc is missing ${destination} path: ${pointer}: ${missing}`
  const shown = step === 'replace' ? pointer : `"${pointer}"`
  return `${step} operation does not apply: doc is missing path: ${shown}: ${missing}`
}

/** Returns the reason why a container has nothing at a place, or takes nothing there. */
export function placeReason({ container, key }: PointerTarget, change: 'add' | 'remove' | 'get'): string {
  if (!Array.isArray(container)) return `Unable to remove nonexistent key: ${key}: ${missing}`
  if (/^[+-]?\d+$/.test(key)) return `Unable to access invalid index: ${Number(key)}: invalid index referenced`
  const syntax = `strconv.Atoi: parsing ${goQuote(key)}: invalid syntax`
  return change === 'add' ? `value was not a proper array index: '${key}': ${syntax}` : syntax
}

/** The reasons if a place cannot be read or changed. */
export function placeRefused(
  step: Step,
  member: 'path' | 'from',
  pointer: string,
  target: PointerTarget,
  change: 'add' | 'remove' | 'get',
): string {
  const reason = placeReason(target, change)
  if (step === 'replace') return `replace operation does not apply: doc is missing key: ${pointer}: ${missing}`
  if (step === 'copy' && member === 'path') return `error while adding value during copy: ${reason}`
  if (step === 'copy') return `error in copy for from: '${pointer}': ${reason}`
  const shown = step === 'move' && member === 'from' ? target.key : pointer
  return `error in ${step} for path: '${shown}': ${reason}`
}

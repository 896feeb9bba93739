/** JSON Patch (RFC 6902), with kube-apiserver's errors. */

import { isRawNumber, mayOverflow, stringify } from '../go/json.ts'
import { MAX_STRICT_ERRORS, walkKeys } from '../go/json-duplicates.ts'
import { isObject } from '../go/json-object.ts'
import { MAX_DEPTH } from '../go/json-syntax.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { utf8Length } from '../go/text.ts'
import { ApiError, badRequest } from '../meta/errors.ts'
import { checkNumbers, jsonType, readPatch } from './decode.ts'
import { isContainer, JsonDocument, nestsDeeperThan } from './json-document.ts'
import { containerMissing, JsonPatchRefusal, memberMissing, placeRefused, type Step } from './json-patch-refusal.ts'
import type { PointerTarget } from './json-pointer.ts'
import { addAt, find, memberAt, removeAt, replaceAt } from './json-pointer.ts'
import { repeatedIn, repeatedKeys } from './repeated-keys.ts'

const MAX_OPERATIONS = 10_000

/** The maximum size of all copies of one patch in bytes. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024

/** The maximum number of array elements that one patch may shift, about 300 ms of work. kube-apiserver has no such bound. */
const MAX_SHIFTED_ELEMENTS = 1e8

const PREFIX = 'error decoding patch: '

/** The string members of an operation; its only other member is `value`. */
const TEXT_MEMBERS: readonly string[] = ['op', 'path', 'from']

const cannotUnmarshal = (value: JsonValue, target: string): ApiError =>
  badRequest(`${PREFIX}json: cannot unmarshal ${jsonType(value)} into Go ${target}`)

const tooDeep = 'exceeded max depth'

const tooMuchCopied = (bytes: number): string =>
  `Unable to complete the copy, the accumulated size increase of copy is ${bytes}, exceeding the limit ${MAX_COPIED_BYTES}`

/** A place that an operation names. */
interface Place {
  readonly target: PointerTarget
  readonly pointer: string
  /** Returns the error if the place cannot be read or changed. */
  readonly refuse: (change: 'add' | 'remove' | 'get') => JsonPatchRefusal
}

/** The application of one patch to a document. */
class Run {
  readonly document: JsonDocument
  private copiedBytes = 0
  private shiftedElements = 0

  constructor(target: JsonObject) {
    this.document = new JsonDocument(target)
  }

  /** Resolves the member `path` or `from` of the operation. */
  place(step: Step, operation: JsonObject, member: 'path' | 'from'): Place {
    const pointer = operation[member]
    if (typeof pointer !== 'string') throw new JsonPatchRefusal(memberMissing(step, member))
    const target = find(this.document, pointer)
    if (target === undefined) throw new JsonPatchRefusal(containerMissing(step, member, pointer))
    const refuse = (change: 'add' | 'remove' | 'get'): JsonPatchRefusal =>
      new JsonPatchRefusal(placeRefused(step, member, pointer, target, change))
    return { target, pointer, refuse }
  }

  /** Returns the value at a place; null if the object there does not have the key. */
  read({ target, refuse }: Place): JsonValue {
    const value = memberAt(target)
    if (value === undefined) throw refuse('get')
    return value
  }

  add({ target, refuse }: Place, value: JsonValue): void {
    this.shift(target)
    if (!addAt(target, value)) throw refuse('add')
  }

  remove({ target, refuse }: Place): void {
    this.shift(target)
    if (!removeAt(target)) throw refuse('remove')
  }

  private shift({ container }: PointerTarget): void {
    if (Array.isArray(container)) this.shiftedElements += container.length
    if (this.shiftedElements > MAX_SHIFTED_ELEMENTS) throw new JsonPatchRefusal('the patch moves too many elements')
  }

  /** Returns a copy of the value and counts its size. */
  copy(value: JsonValue): JsonValue {
    if (nestsDeeperThan(value, MAX_DEPTH)) throw new JsonPatchRefusal(tooDeep)
    const copy = this.document.detach(value)
    if (copy !== null) this.copiedBytes += encodedLength(copy)
    if (this.copiedBytes > MAX_COPIED_BYTES) throw new JsonPatchRefusal(tooMuchCopied(this.copiedBytes))
    return copy
  }
}

/** Returns the number of bytes that Go's encoding/json writes, with its HTML escapes. */
function encodedLength(value: JsonValue): number {
  const text = stringify(value)
  const escaped = text.match(/[<>&]/g)?.length ?? 0
  const separators = text.match(/[\u2028\u2029]/g)?.length ?? 0
  return utf8Length(text) + 5 * escaped + 3 * separators
}

const valueMember = (operation: JsonObject): JsonValue => (Object.hasOwn(operation, 'value') ? (operation.value ?? null) : null)

const isWhole = (operation: JsonObject): boolean => operation.path === ''

/** Returns the operation's value. If it is missing, kube-apiserver closes the connection; this server answers 400. */
function neededValue(operation: JsonObject): JsonValue {
  if (!Object.hasOwn(operation, 'value')) throw badRequest('operation missing value field: missing value')
  return valueMember(operation)
}

/** Compares values; numbers by their digits, so 1 and 1.0 differ. */
function equal(a: JsonValue, b: JsonValue): boolean {
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((element, index) => equal(element, b[index] ?? null))
  }
  if (isObject(a)) {
    if (!isObject(b) || Object.keys(a).length !== Object.keys(b).length) return false
    return Object.entries(a).every(([key, member]) => Object.hasOwn(b, key) && equal(member, b[key] ?? null))
  }
  if (isRawNumber(a) || isRawNumber(b)) return stringify(a) === stringify(b)
  return a === b
}

/** The operations of JSON Patch by name. Each changes the run's document or throws JsonPatchRefusal. */
const OPERATIONS: ReadonlyMap<string, (run: Run, operation: JsonObject) => void> = new Map([
  ['add', add],
  ['remove', remove],
  ['replace', replace],
  ['move', move],
  ['copy', copy],
  ['test', test],
])

function add(run: Run, operation: JsonObject): void {
  run.add(run.place('add', operation, 'path'), valueMember(operation))
}

function remove(run: Run, operation: JsonObject): void {
  run.remove(run.place('remove', operation, 'path'))
}

/** Replaces a value. Also sets a key that the object does not have. */
function replace(run: Run, operation: JsonObject): void {
  if (isWhole(operation)) {
    const value = neededValue(operation)
    if (!isContainer(value)) throw new JsonPatchRefusal('replace operation hit impossible case: unexpected end of JSON input')
    run.document.root = run.document.own(value)
    return
  }
  const { target, refuse } = run.place('replace', operation, 'path')
  if (!replaceAt(target, valueMember(operation))) throw refuse('get')
}

function move(run: Run, operation: JsonObject): void {
  const from = run.place('move', operation, 'from')
  const value = run.read(from)
  run.remove(from)
  run.add(run.place('move', operation, 'path'), value)
}

/** A key that the object does not have is copied as null. */
function copy(run: Run, operation: JsonObject): void {
  const from = run.place('copy', operation, 'from')
  run.read(from)
  const to = run.place('copy', operation, 'path')
  // Read again: if `path` leads into the value, the document now has a copy of it, whose keys get sorted.
  run.add(to, run.copy(run.read(from)))
}

/** A key that the object does not have is null. */
function test(run: Run, operation: JsonObject): void {
  if (isWhole(operation)) {
    const { document } = run
    if (!equal(document.root, neededValue(operation))) throw new JsonPatchRefusal('testing value  failed: test failed')
    document.ownAll(document.root)
    return
  }
  const place = run.place('test', operation, 'path')
  const value = run.read(place)
  if (!equal(value, valueMember(operation))) throw new JsonPatchRefusal(`testing value ${place.pointer} failed: test failed`)
  if (isContainer(value)) replaceAt(place.target, run.document.ownAll(value))
}

/**
 * Throws the errors of decoding the patch into Go's operation type, which kube-apiserver does unless fieldValidation is Ignore.
 */
function checkTypes(text: string, patch: JsonValue): void {
  if (patch === null) return
  if (!Array.isArray(patch)) throw cannotUnmarshal(patch, 'value of type []handlers.jsonPatchOp')
  const suspect = mayOverflow(text)
  for (const operation of patch) {
    if (operation === null) continue
    if (!isObject(operation)) throw cannotUnmarshal(operation, 'value of type handlers.jsonPatchOp')
    for (const [member, value] of Object.entries(operation)) {
      if (TEXT_MEMBERS.includes(member) && value !== null && typeof value !== 'string') {
        throw cannotUnmarshal(value, `struct field jsonPatchOp.${member} of type string`)
      }
      if (suspect && member === 'value') checkNumbers(value, PREFIX, 'struct field jsonPatchOp.value')
    }
  }
}

/** Returns the operations, of which some may be null. */
function operationsOf(patch: JsonValue): (JsonObject | null)[] {
  if (patch === null) return []
  if (!Array.isArray(patch)) throw badRequest(`json: cannot unmarshal ${jsonType(patch)} into Go value of type jsonpatch.Patch`)
  return patch.map((operation) => {
    if (operation === null || isObject(operation)) return operation
    throw badRequest(`json: cannot unmarshal ${jsonType(operation)} into Go value of type jsonpatch.Operation`)
  })
}

function read(text: string, lenient: boolean): (JsonObject | null)[] {
  const patch = readPatch(text, 'verbatim', lenient ? '' : PREFIX)
  if (!lenient) checkTypes(text, patch)
  const operations = operationsOf(patch)
  if (operations.length <= MAX_OPERATIONS) return operations
  const message = `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`
  throw new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`)
}

/**
 * Applies a JSON Patch and returns the result. The target is not changed; containers that no operation reaches into are shared
 * with the target or the patch. Objects that operations reach into get sorted keys. Follows evanphx/json-patch v4 and
 * kube-apiserver's patch handler.
 * @param lenient fieldValidation=Ignore, which changes only the errors for a body that is not a JSON Patch
 * @throws ApiError 400 if the body is not a JSON Patch; 413 for more than 10,000 operations; 422 for an operation that cannot be
 *   applied, a failed test, or more than 3 MiB of copies
 * @example
 * jsonPatch({ data: { a: '1' } }, '[{"op":"replace","path":"/data/a","value":"2"}]') // { data: { a: '2' } }
 * jsonPatch({ data: { a: '1' } }, '[{"op":"test","path":"/data/a","value":"2"}]') // throws 422 Invalid
 */
export function jsonPatch(target: JsonObject, patchText: string, lenient = false): JsonValue {
  return applied(target, read(patchText, lenient))
}

/** Applies a JSON Patch like jsonPatch; also returns the paths of keys in the result that the patch repeats. */
export function strictJsonPatch(target: JsonObject, patchText: string): { result: JsonValue; repeated: readonly string[] } {
  const operations = read(patchText, false)
  const result = applied(target, operations)
  return { result, repeated: repeatedIn(repeatedKeys(patchText, operations), result) }
}

function applied(target: JsonObject, operations: readonly (JsonObject | null)[]): JsonValue {
  const run = new Run(target)
  for (const operation of operations) {
    const kind = operation?.op
    const apply = typeof kind === 'string' ? OPERATIONS.get(kind) : undefined
    if (operation === null || apply === undefined)
      throw new JsonPatchRefusal(`Unexpected kind: ${typeof kind === 'string' ? kind : 'unknown'}`)
    apply(run, operation)
  }
  const { document } = run
  if (nestsDeeperThan(document.root, MAX_DEPTH)) throw new JsonPatchRefusal(tooDeep)
  return document.detach(document.root)
}

/**
 * Returns the strict errors of a patch that jsonPatch accepts: duplicate keys, and unknown fields of operations, in the order
 * of the text; at most 100. They are warnings, or errors with fieldValidation=Strict.
 */
export function jsonPatchStrictErrors(patchText: string): string[] {
  const errors = new Set<string>()
  walkKeys<'operations' | 'operation' | 'value'>(patchText, 'operations', {
    key: (within, key, seen, path) => {
      if (within === 'operation' && key !== 'value' && !TEXT_MEMBERS.includes(key)) {
        errors.add(`json patch unknown field "${path()}"`)
        return undefined
      }
      if (seen) errors.add(`json patch duplicate field "${path()}"`)
      return within === 'value' || key === 'value' ? 'value' : undefined
    },
    element: (within) => (within === 'operations' ? 'operation' : within),
    done: () => errors.size >= MAX_STRICT_ERRORS,
  })
  return [...errors]
}

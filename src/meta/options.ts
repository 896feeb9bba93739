/** The parameters of verbs other than list and watch: GetOptions, CreateOptions … of k8s.io/apimachinery/pkg/apis/meta/v1. */

import { unprintableCharacters, utf8Length } from '../go/text.ts'
import { badRequest, invalid } from './errors.ts'
import { aggregate, asJson, type FieldError, forbiddenValue, invalidValue, notSupported, required } from './field-error.ts'
import { MAX_FIELD_MANAGER_LENGTH, validateFieldManager } from './object-meta-validation.ts'
import { queryBoolean, queryInteger, queryText } from './query.ts'

/** The parameters of a get. '' is an unset resourceVersion. */
export interface GetOptions {
  readonly resourceVersion: string
}

/** The handling of unknown and duplicate fields in a body. '' is unset and means Warn. */
export type FieldValidation = '' | 'Ignore' | 'Warn' | 'Strict'

/** The checked parameters of a create or an update. '' is an unset text. */
export interface WriteOptions {
  readonly dryRun: readonly string[]
  readonly fieldManager: string
  readonly fieldValidation: FieldValidation
}

/** The checked parameters of a patch. */
export interface PatchOptions extends WriteOptions {
  readonly force?: boolean
}

/** The parameters of a delete, from the query or from the body. A negative grace period means one second. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number
  readonly orphanDependents?: boolean
  /** The fate of dependents of the deleted object: Foreground, Background or Orphan. */
  readonly propagationPolicy?: string
  readonly dryRun?: readonly string[]
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
}

/** The part of each object that a table contains (`includeObject`). '' is unset and means Metadata. */
export type IncludeObject = '' | 'None' | 'Metadata' | 'Object'

const DRY_RUN_VALUES: readonly string[] = ['All']
const FIELD_VALIDATION_VALUES: readonly FieldValidation[] = ['', 'Ignore', 'Strict', 'Warn']
const INCLUDE_OBJECT_VALUES: readonly IncludeObject[] = ['', 'None', 'Metadata', 'Object']
const PROPAGATION_VALUES: readonly string[] = ['Foreground', 'Background', 'Orphan']

function refuse(kind: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', errors)
}

function validateDryRun(dryRun: readonly string[]): FieldError[] {
  return dryRun.every((value) => DRY_RUN_VALUES.includes(value)) ? [] : [notSupported('dryRun', dryRun, DRY_RUN_VALUES)]
}

/** Reads the options that creates, updates and patches share. `before` returns errors to report first. */
function readShared(query: URLSearchParams, kind: string, before: (fieldManager: string) => readonly FieldError[]): WriteOptions {
  const dryRun = query.getAll('dryRun')
  const fieldManager = queryText(query, 'fieldManager')
  const written = queryText(query, 'fieldValidation')
  const fieldValidation = FIELD_VALIDATION_VALUES.find((value) => value === written)
  refuse(kind, [
    ...before(fieldManager),
    ...validateFieldManager(fieldManager, 'fieldManager'),
    ...validateDryRun(dryRun),
    ...(fieldValidation === undefined ? [notSupported('fieldValidation', written, FIELD_VALIDATION_VALUES)] : []),
  ])
  return { dryRun, fieldManager, fieldValidation: fieldValidation ?? '' }
}

/**
 * Reads the parameters of a get.
 * @throws ApiError 400 for `export`, deprecated since 1.14 and no longer supported
 */
export function readGetOptions(query: URLSearchParams): GetOptions {
  if (queryBoolean(query, 'export') === true)
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported')
  return { resourceVersion: queryText(query, 'resourceVersion') }
}

/**
 * Reads the parameters of a create.
 * @throws ApiError 422 if a value is not supported
 */
export function readCreateOptions(query: URLSearchParams): WriteOptions {
  return readShared(query, 'CreateOptions', () => [])
}

/**
 * Reads the parameters of an update.
 * @throws ApiError 422 if a value is not supported
 */
export function readUpdateOptions(query: URLSearchParams): WriteOptions {
  return readShared(query, 'UpdateOptions', () => [])
}

/**
 * Reads the parameters of a patch. Apply requires a field manager; only apply may be forced.
 * @throws ApiError 422 if a value is not supported
 */
export function readPatchOptions(query: URLSearchParams, patch: 'apply' | 'other'): PatchOptions {
  const force = queryBoolean(query, 'force')
  const options = readShared(query, 'PatchOptions', (fieldManager) => {
    if (patch === 'apply') return fieldManager === '' ? [required('fieldManager', 'is required for apply patch')] : []
    return force === undefined ? [] : [forbiddenValue('force', 'may not be specified for non-apply patch')]
  })
  return { ...options, ...(force !== undefined && { force }) }
}

/**
 * Validates the parameters of a delete, from the query or from the body. Follows ValidateDeleteOptions.
 * @throws ApiError 422 if values are not supported or exclude each other
 */
export function validateDeleteOptions(options: DeleteOptions): void {
  const { orphanDependents, propagationPolicy, dryRun = [] } = options
  const errors: FieldError[] = []
  if (propagationPolicy !== undefined) {
    const text = 'orphanDependents and deletionPropagation cannot be both set'
    if (orphanDependents !== undefined) errors.push(invalidValue('propagationPolicy', asJson(propagationPolicy), text))
    if (!PROPAGATION_VALUES.includes(propagationPolicy)) {
      errors.push(notSupported('propagationPolicy', asJson(propagationPolicy), [...PROPAGATION_VALUES, 'nil']))
    }
  }
  refuse('DeleteOptions', [...errors, ...validateDryRun(dryRun)])
}

function readPreconditions(query: URLSearchParams): Pick<DeleteOptions, 'preconditions'> {
  const uid = queryText(query, 'uid')
  const resourceVersion = queryText(query, 'resourceVersion')
  if (uid === '' && resourceVersion === '') return {}
  return { preconditions: { ...(uid !== '' && { uid }), ...(resourceVersion !== '' && { resourceVersion }) } }
}

/**
 * Reads and validates the parameters of a delete from the query, which is ignored if the request has a body.
 * @throws ApiError 400 if a parameter cannot be parsed, 422 if values are not supported or exclude each other
 */
export function readDeleteOptions(query: URLSearchParams): DeleteOptions {
  const gracePeriodSeconds = queryInteger(query, 'gracePeriodSeconds')
  const orphanDependents = queryBoolean(query, 'orphanDependents')
  const propagationPolicy = query.get('propagationPolicy')
  const options: DeleteOptions = {
    dryRun: query.getAll('dryRun'),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(orphanDependents !== undefined && { orphanDependents }),
    ...(propagationPolicy !== null && { propagationPolicy }),
    ...readPreconditions(query),
  }
  validateDeleteOptions(options)
  return options
}

/**
 * Reads `includeObject` of a request for a table, as the client wrote it.
 * @throws ApiError 400 if the value is not supported
 */
export function readIncludeObject(written: string): IncludeObject {
  const supported = INCLUDE_OBJECT_VALUES.find((value) => value === written)
  if (supported !== undefined) return supported
  const error = invalidValue('includeObject', asJson(written), "must be 'Metadata', 'Object', 'None', or empty")
  throw badRequest(`Unable to convert to Table as requested: ${aggregate([error])}`)
}

/**
 * Returns the field manager of a write: the requested one, or else the printable characters of the user agent up to the first
 * `/`, at most 128 bytes of them.
 */
export function fieldManagerOf(fieldManager: string, userAgent: string): string {
  if (fieldManager !== '') return fieldManager
  let manager = ''
  let length = 0
  for (const character of userAgent.split('/', 1)[0] ?? '') {
    length += unprintableCharacters(character, 1).length > 0 ? 0 : utf8Length(character)
    if (length > MAX_FIELD_MANAGER_LENGTH) break
    if (unprintableCharacters(character, 1).length === 0) manager += character
  }
  return manager
}

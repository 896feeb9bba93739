/**
 * Checks of the conditions and the certificate of CertificateSigningRequests. Follows
 * ValidateCertificateSigningRequest{Approval,Status}Update of k8s.io/kubernetes/pkg/apis/certificates/validation.
 */
import { jsonDifference } from '../../../go/unified-diff.ts'
import { asJson, type FieldError } from '../../../meta/field-error.ts'
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '../../generated/types/certificates.v1.ts'
import { Errors, isSame, itemsOf } from '../checks.ts'
import { certificateError } from './pem.ts'

const field = 'status.conditions'
const decided = ['Approved', 'Denied'] as const
/** Condition types that cannot be removed, and whose status must be True. */
const permanent = [...decided, 'Failed'] as const
const trueAlone = ['True']
const statuses = ['False', 'True', 'Unknown']

const conditionsOf = ({ status }: CertificateSigningRequest): readonly CertificateSigningRequestCondition[] =>
  status?.conditions ?? []
const ofType = (request: CertificateSigningRequest, type: string): readonly CertificateSigningRequestCondition[] =>
  conditionsOf(request).filter((condition) => condition.type === type)

/** Violations that the old object has, which an update may keep. */
interface Tolerated {
  readonly bothDecisions: boolean
  readonly duplicates: boolean
  readonly emptyTypes: boolean
}

function toleratedBy(old: CertificateSigningRequest): Tolerated {
  const types = conditionsOf(old).map(({ type }) => type)
  return {
    bothDecisions: decided.every((type) => types.includes(type)),
    duplicates: new Set(types).size < types.length,
    emptyTypes: types.includes(''),
  }
}

function checkStatus({ type, status }: CertificateSigningRequestCondition, at: string, errors: Errors): void {
  const allowed = permanent.some((name) => name === type) ? trueAlone : statuses
  if (status === '') errors.required(`${at}.status`)
  else errors.checkEnum(status, allowed, `${at}.status`)
}

function checkEach(request: CertificateSigningRequest, tolerated: Tolerated, errors: Errors): void {
  const seen = new Set<string>()
  for (const [at, condition] of itemsOf(conditionsOf(request), field)) {
    const { type } = condition
    if (type === '' && !tolerated.emptyTypes) errors.required(`${at}.type`)
    checkStatus(condition, at, errors)
    const other = type === 'Approved' ? 'Denied' : 'Approved'
    if (!tolerated.bothDecisions && (type === 'Approved' || type === 'Denied') && seen.has(other)) {
      errors.invalid(field, asJson(type), 'Approved and Denied conditions are mutually exclusive')
    }
    if (seen.has(type) && !tolerated.duplicates) errors.duplicate(`${at}.type`, asJson(type))
    seen.add(type)
  }
}

function checkRemovals(request: CertificateSigningRequest, old: CertificateSigningRequest, errors: Errors): void {
  for (const type of permanent) {
    if (ofType(request, type).length >= ofType(old, type).length) continue
    errors.forbidden(field, `updates may not remove a condition of type "${type}"`)
  }
}

/** Converts conditions to the internal form that error messages quote. */
const toInternal = (conditions: readonly CertificateSigningRequestCondition[]): unknown =>
  conditions.map(({ type, status, reason = '', message = '', lastUpdateTime = null, lastTransitionTime = null }) => ({
    Type: type,
    Status: status,
    Reason: reason,
    Message: message,
    LastUpdateTime: lastUpdateTime,
    LastTransitionTime: lastTransitionTime,
  }))

/** Forbids to change the conditions Approved and Denied: only the subresource `approval` may. */
function checkDecisions(request: CertificateSigningRequest, old: CertificateSigningRequest, errors: Errors): void {
  for (const type of decided) {
    const [now, before] = [ofType(request, type), ofType(old, type)]
    if (now.length > before.length) errors.forbidden(field, `updates may not add a condition of type "${type}"`)
    else if (now.length === before.length && !isSame(now, before)) {
      const text = `updates may not modify a condition of type "${type}"\n${jsonDifference(toInternal(before), toInternal(now))}`
      errors.forbidden(field, text)
    }
  }
}

function validateConditions(request: CertificateSigningRequest, old: CertificateSigningRequest): Errors {
  const errors = new Errors()
  checkEach(request, toleratedBy(old), errors)
  return errors
}

/** Validates an update of the subresource `approval`. */
export function validateApproval(request: CertificateSigningRequest, old: CertificateSigningRequest): FieldError[] {
  const errors = validateConditions(request, old)
  checkRemovals(request, old, errors)
  return errors
}

/** Validates an update of the subresource `status`, which the signer writes. */
export function validateSigning(request: CertificateSigningRequest, old: CertificateSigningRequest): FieldError[] {
  const errors = validateConditions(request, old)
  const { certificate = '' } = request.status ?? {}
  const { certificate: before = '' } = old.status ?? {}
  const at = 'status.certificate'
  const wrong = certificate === before || certificateError(before) !== undefined ? undefined : certificateError(certificate)
  if (wrong !== undefined) errors.invalid(at, '<certificate data>', wrong)
  checkRemovals(request, old, errors)
  checkDecisions(request, old, errors)
  if (certificate !== before && before !== '') errors.forbidden(at, 'updates may not modify existing certificate content')
  return errors
}

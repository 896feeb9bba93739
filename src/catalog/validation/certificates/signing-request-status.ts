/**
 * Checks of what becomes of CertificateSigningRequests: conditions and the certificate.
 * Follows ValidateCertificateSigningRequest{Approval,Status}Update of k8s.io/kubernetes/pkg/apis/certificates/validation.
 */

import { jsonDifference } from '../../../go/unified-diff.ts'
import {
  duplicate,
  enumValue,
  type FieldError,
  forbiddenValue,
  invalidValue,
  notSupported,
  required,
} from '../../../meta/field-error.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { type Errors, isSame } from '../checks.ts'
import { certificateError } from './pem.ts'

/** A condition of a request as decoding leaves it. */
export interface SigningCondition {
  type: string
  status: string
  reason?: string
  message?: string
  lastUpdateTime?: string | null
  lastTransitionTime?: string | null
}

/** A request as far as its status goes. */
export interface SigningRequest extends KubernetesObject {
  status?: { conditions?: SigningCondition[]; certificate?: string }
}

const field = 'status.conditions'
const decided = ['Approved', 'Denied'] as const
/** Conditions of these types stay, and are never anything else than true. */
const lasting = [...decided, 'Failed'] as const
const trueAlone = ['True']
const statuses = ['False', 'True', 'Unknown']

const conditionsOf = ({ status }: SigningRequest): readonly SigningCondition[] => status?.conditions ?? []
const ofType = (request: SigningRequest, type: string): readonly SigningCondition[] =>
  conditionsOf(request).filter((condition) => condition.type === type)

/** What is tolerated because it was so before. */
interface Tolerated {
  readonly bothDecisions: boolean
  readonly duplicates: boolean
  readonly emptyTypes: boolean
}

function toleratedBy(old: SigningRequest): Tolerated {
  const types = conditionsOf(old).map(({ type }) => type)
  return {
    bothDecisions: decided.every((type) => types.includes(type)),
    duplicates: new Set(types).size < types.length,
    emptyTypes: types.includes(''),
  }
}

function checkStatus({ type, status }: SigningCondition, at: string, errors: Errors): void {
  const allowed = lasting.some((name) => name === type) ? trueAlone : statuses
  if (status === '') errors.push(required(`${at}.status`))
  else if (!allowed.includes(status)) errors.push(notSupported(`${at}.status`, enumValue(status), allowed))
}

function checkEach(request: SigningRequest, tolerated: Tolerated, errors: Errors): void {
  const seen = new Set<string>()
  for (const [index, condition] of conditionsOf(request).entries()) {
    const at = `${field}[${index}]`
    const { type } = condition
    if (type === '' && !tolerated.emptyTypes) errors.push(required(`${at}.type`))
    checkStatus(condition, at, errors)
    const other = type === 'Approved' ? 'Denied' : 'Approved'
    if (!tolerated.bothDecisions && (type === 'Approved' || type === 'Denied') && seen.has(other)) {
      errors.push(invalidValue(field, enumValue(type), 'Approved and Denied conditions are mutually exclusive'))
    }
    if (seen.has(type) && !tolerated.duplicates) errors.push(duplicate(`${at}.type`, enumValue(type)))
    seen.add(type)
  }
}

function checkRemovals(request: SigningRequest, old: SigningRequest, errors: Errors): void {
  for (const type of lasting) {
    if (ofType(request, type).length >= ofType(old, type).length) continue
    errors.push(forbiddenValue(field, `updates may not remove a condition of type "${type}"`))
  }
}

/** As Go shows conditions. */
const shown = (conditions: readonly SigningCondition[]): unknown =>
  conditions.map(({ type, status, reason = '', message = '', lastUpdateTime = null, lastTransitionTime = null }) => ({
    Type: type,
    Status: status,
    Reason: reason,
    Message: message,
    LastUpdateTime: lastUpdateTime,
    LastTransitionTime: lastTransitionTime,
  }))

/** Who may not decide may not change what was decided. */
function checkDecisions(request: SigningRequest, old: SigningRequest, errors: Errors): void {
  for (const type of decided) {
    const [now, before] = [ofType(request, type), ofType(old, type)]
    if (now.length > before.length) errors.push(forbiddenValue(field, `updates may not add a condition of type "${type}"`))
    else if (now.length === before.length && !isSame(now, before)) {
      const text = `updates may not modify a condition of type "${type}"\n${jsonDifference(shown(before), shown(now))}`
      errors.push(forbiddenValue(field, text))
    }
  }
}

function validateConditions(request: SigningRequest, old: SigningRequest): Errors {
  const errors: Errors = []
  checkEach(request, toleratedBy(old), errors)
  return errors
}

/** What is wrong with a decision about a request. */
export function validateApproval(request: SigningRequest, old: SigningRequest): FieldError[] {
  const errors = validateConditions(request, old)
  checkRemovals(request, old, errors)
  return errors
}

/** What is wrong with a change of a request's status by its signer. */
export function validateSigning(request: SigningRequest, old: SigningRequest): FieldError[] {
  const errors = validateConditions(request, old)
  const { certificate = '' } = request.status ?? {}
  const { certificate: before = '' } = old.status ?? {}
  const at = 'status.certificate'
  const wrong = certificate === before || certificateError(before) !== undefined ? undefined : certificateError(certificate)
  if (wrong !== undefined) errors.push(invalidValue(at, '<certificate data>', wrong))
  checkRemovals(request, old, errors)
  checkDecisions(request, old, errors)
  if (certificate !== before && before !== '') {
    errors.push(forbiddenValue(at, 'updates may not modify existing certificate content'))
  }
  return errors
}

/** Checks of the status of PodCertificateRequests. Follows k8s.io/kubernetes/pkg/apis/certificates/validation. */
import { utf8Length } from '../../../go/text.ts'
import { hexOf } from '../../../net/der.ts'
import { type Certificate, generalNames, parseCertificate } from '../../../net/tls/certificate.ts'
import type { PodCertificateRequest, PodCertificateRequestStatus } from '../../generated/types/certificates.v1beta1.ts'
import { type Errors, isSame, validator } from '../checks.ts'
import { checkConditions } from '../status/conditions.ts'
import { type Block, blocksOf } from './pem.ts'
import { requestedKey } from './pod-certificate-request.ts'

const longestChain = 100 * 1024
const conditionTypes = ['Issued', 'Denied', 'Failed']
const chainField = 'status.certificateChain'
const minute = 60_000
const hour = 60 * minute

/** Whether a request has a condition of one of these types. */
const has = ({ conditions = [] }: PodCertificateRequestStatus, ...types: readonly string[]): boolean =>
  conditions.some(({ type, status }) => types.includes(type) && status === 'True')

function checkKnownConditions({ conditions = [] }: PodCertificateRequestStatus, errors: Errors): void {
  let known = 0
  for (const [index, { type, status }] of conditions.entries()) {
    const field = `status.conditions.[${index}]`
    if (!conditionTypes.includes(type)) {
      errors.textNotSupported(`${field}.type`, type, conditionTypes)
      continue
    }
    known++
    if (known > 1) {
      errors.invalid(`${field}.type`, type, 'There may be at most one condition with type "Issued", "Denied", or "Failed"')
    }
    errors.checkSupported(status, ['True'], `${field}.status`)
  }
  checkConditions(conditions, 'status.conditions', errors)
}

/** Parses a certificate; undefined for other bytes. */
function certificateOf({ der }: Block): Certificate | undefined {
  try {
    return parseCertificate(der)
  } catch {
    return undefined
  }
}

function checkNames({ names }: Certificate, errors: Errors): void {
  for (const { tag, content } of names) {
    if (tag !== generalNames.dns) continue
    const name = Buffer.from(content).toString('latin1')
    const refuse = (why: string): void => errors.invalid(chainField, name, why)
    if (name === '') refuse('leaf certificate should not contain empty DNSName')
    if (name.includes('..')) refuse("leaf certificate's DNSName should not contain '..'")
    if (name.startsWith('.') || name.endsWith('.')) refuse("leaf certificate's DNSName should not start or end with '.'")
  }
}

/** Checks the first certificate of a chain. Returns it if the checks of times can follow. */
function checkLeaf(chain: string, { spec }: PodCertificateRequest, errors: Errors): Certificate | undefined {
  const refuse = (why: string): undefined => void errors.invalid(chainField, chain, why)
  const [block] = blocksOf(chain)
  if (block === undefined) return refuse('issued certificate chain must contain at least one certificate')
  if (block.label !== 'CERTIFICATE') return refuse('issued certificate chain must consist entirely of CERTIFICATE PEM blocks')
  const leaf = certificateOf(block)
  if (leaf === undefined) return refuse('leaf certificate does not parse as valid X.509')
  checkNames(leaf, errors)
  const key = requestedKey(spec)
  if (key === undefined || hexOf(key) !== leaf.publicKey) {
    return refuse('leaf certificate was not issued to the requested public key')
  }
  return leaf
}

const required: readonly (readonly [name: 'notBefore' | 'notAfter' | 'beginRefreshAt', detail: string])[] = [
  ['notBefore', 'must be present and consistent with the issued certificate'],
  ['notAfter', 'must be present and consistent with the issued certificate'],
  ['beginRefreshAt', 'must be present and in the range [notbefore+10min, notafter-10min]'],
]

/** Formats a duration of whole seconds as JSON has Go's: nanoseconds. */
const nanoseconds = (milliseconds: number): number => milliseconds * 1_000_000

/** Checks the times of the status against those of the certificate. Only the first error is reported. */
function checkTimes({ spec, status }: PodCertificateRequest, { x509 }: Certificate, now: number, errors: Errors): boolean {
  const found = errors.length
  for (const [name, detail] of required) if (status[name] === undefined) errors.required(`status.${name}`, detail)
  if (errors.length > found) return false
  const [begin, end] = [Date.parse(x509.validFrom), Date.parse(x509.validTo)]
  const [notBefore, notAfter, refresh] = required.map(([name]) => Date.parse(status[name] ?? ''))
  const refuse = (name: 'notBefore' | 'notAfter' | 'beginRefreshAt', why: string): false => {
    errors.invalid(`status.${name}`, status[name], why)
    return false
  }
  if (notBefore !== begin) return refuse('notBefore', 'must be set to the NotBefore time encoded in the leaf certificate')
  if (Math.abs(begin - now) >= 5 * minute) {
    return refuse('notBefore', "must be set to within 5 minutes of kube-apiserver's current time")
  }
  if (notAfter !== end) return refuse('notAfter', 'must be set to the NotAfter time encoded in the leaf certificate')
  const lifetime = end - begin
  const { maxExpirationSeconds = 0 } = spec
  const isShort = lifetime < hour
  if (isShort || lifetime > maxExpirationSeconds * 1000) {
    const bound = isShort ? '>= 1 hour' : `<= spec.maxExpirationSeconds (${maxExpirationSeconds})`
    errors.invalid(chainField, nanoseconds(lifetime), `leaf certificate lifetime must be ${bound}`)
    return false
  }
  if ((refresh ?? 0) < begin + 10 * minute) {
    return refuse('beginRefreshAt', 'must be at least 10 minutes after status.notBefore')
  }
  return (refresh ?? 0) <= end - 10 * minute || refuse('beginRefreshAt', 'must be at least 10 minutes before status.notAfter')
}

function checkIssued(request: PodCertificateRequest, now: number, errors: Errors): void {
  const { certificateChain: chain = '' } = request.status
  if (utf8Length(chain) > longestChain) {
    errors.tooLong(chainField, longestChain)
    return
  }
  const leaf = checkLeaf(chain, request, errors)
  if (leaf === undefined || !checkTimes(request, leaf, now, errors)) return
  for (const block of [...blocksOf(chain)].slice(1)) {
    if (block.label !== 'CERTIFICATE') {
      errors.invalid(chainField, chain, 'issued certificate chain must consist entirely of CERTFICATE PEM blocks')
      return
    }
    if (certificateOf(block) !== undefined) continue
    errors.invalid(chainField, chain, 'intermediate certificate does not parse as valid X.509')
    return
  }
}

/** Validates an update of the status. @param now milliseconds since the epoch */
export const validatePodCertificateStatus = validator(
  (errors, request: PodCertificateRequest, old: PodCertificateRequest, now: number) => {
    const { status } = request
    checkKnownConditions(status, errors)
    if (errors.length > 0) return
    const isKept = isSame(status, old.status)
    if (has(old.status, ...conditionTypes)) {
      if (!isKept) errors.invalidAlone('status', 'immutable after PodCertificateRequest is issued, denied, or failed')
    } else if (has(status, 'Denied', 'Failed')) {
      const { conditions: _conditions, ...others } = status
      const why = 'non-condition status fields must be empty when denying or failing the PodCertificateRequest'
      if (Object.keys(others).length > 0) errors.invalidAlone('status', why)
    } else if (has(status, 'Issued')) checkIssued(request, now, errors)
    else if (!isKept) {
      errors.invalidAlone('status', 'status is immutable unless transitioning to "Issued", "Denied", or "Failed"')
    }
  },
)

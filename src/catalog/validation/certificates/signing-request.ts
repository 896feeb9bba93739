/** Checks of the spec of CertificateSigningRequests. Follows k8s.io/kubernetes/pkg/apis/certificates/validation. */
import { asJson } from '../../../meta/field-error.ts'
import { type CertificateSigningRequest, KeyUsage } from '../../generated/types/certificates.v1.ts'
import type { KindFacts } from '../../kind.ts'
import { type Errors, validator } from '../checks.ts'
import { checkSignerName } from '../pod/signer-name.ts'
import { requestError } from './request.ts'

const legacySigner = 'kubernetes.io/legacy-unknown'
const shortest = 600

function checkUsages(given: readonly string[], isLenient: boolean, errors: Errors): void {
  const field = 'spec.usages'
  if (given.length === 0) errors.required(field)
  if (isLenient) return
  for (const [index, usage] of given.entries()) errors.checkEnum(usage, KeyUsage, `${field}[${index}]`)
  const seen = new Set<string>()
  for (const [index, usage] of given.entries()) errors.checkUnique(seen, usage, `${field}[${index}]`, asJson(usage))
}

/** Validates a new CertificateSigningRequest, except its metadata. v1beta1 allows any usages and the signer of old requests. */
export const validateSigningRequest = validator((errors, { spec }: CertificateSigningRequest, { version }: KindFacts) => {
  const isLenient = version === 'v1beta1'
  const wrong = requestError(spec.request ?? '')
  if (wrong !== undefined) errors.invalid('spec.request', spec.request, wrong)
  checkUsages(spec.usages ?? [], isLenient, errors)
  const { signerName, expirationSeconds: seconds } = spec
  if (signerName === legacySigner && !isLenient) {
    errors.invalid('spec.signerName', signerName, 'the legacy signerName is not allowed via this API version')
  } else checkSignerName(signerName, 'spec.signerName', errors)
  if (seconds !== undefined && seconds < shortest) {
    errors.invalid('spec.expirationSeconds', seconds, `may not specify a duration less than ${shortest} seconds (10 minutes)`)
  }
})

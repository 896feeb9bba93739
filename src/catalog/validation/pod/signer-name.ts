/** Validates names of signers: `example.com/signer`. Follows ValidateSignerName of core/validation. */
import { goQuote, utf8Length } from '../../../go/text.ts'
import { type Check, isDns1123Label, isDns1123Subdomain } from '../../../meta/names.ts'
import type { Errors } from '../checks.ts'

const longestDomain = 253
const longestName = longestDomain + longestDomain + 63 + 2

/** Checks the labels of a domain. Only the first invalid label is reported. */
function checkLabels(segment: string, check: Check, field: string, errors: Errors): void {
  for (const label of segment.split('.')) {
    const messages = check(label)
    for (const text of messages) errors.invalid(field, segment, `validating label ${goQuote(label)}: ${text}`)
    if (messages.length > 0) return
  }
}

/** Checks the name of a signer: a domain, a slash and a name. */
export function checkSignerName(name: string, field: string, errors: Errors): void {
  if (name === '') {
    errors.required(field)
    return
  }
  const [domain = '', path = '', ...rest] = name.split('/')
  if (!name.includes('/') || rest.length > 0) {
    errors.invalid(field, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")
    return
  }
  if (utf8Length(domain) > longestDomain) errors.tooLong(field, longestDomain)
  checkLabels(domain, isDns1123Label, field, errors)
  if (!domain.includes('.')) errors.invalid(field, domain, 'should be a domain with at least two segments separated by dots')
  checkLabels(path, isDns1123Subdomain, field, errors)
  if (utf8Length(name) > longestName) errors.tooLong(field, longestName)
}

/** Whether the signer is one of Kubernetes' own. */
export const isKubernetesSigner = (name: string): boolean => /^(?:[^/]*\.)?kubernetes\.io\//.test(name)
